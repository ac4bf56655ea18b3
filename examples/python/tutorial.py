"""What the tutorials share: the module from the checkout, and matplotlib where it is."""
import os
import sys
from pathlib import Path

try:
    import scree  # noqa: F401: installed
except ImportError:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

FOLDER = Path(os.environ.get("SCREE_EXAMPLES_OUT", "."))
EXAMPLES = Path(__file__).resolve().parents[1]


def pyplot():
    """matplotlib.pyplot, or None where it is not installed."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
        return plt
    except ImportError:
        print("no figure: matplotlib is not here (package python3-matplotlib)")
        return None


def save(figure, name):
    figure.tight_layout()
    figure.savefig(FOLDER / name, dpi=110)
    print(f"figure: {FOLDER / name}")
