"""spills.py SOURCE BUILD: no kernel of the CUDA module keeps values in memory because it has too few registers (-Xptxas -v tells). Without the compiler of CUDA there is nothing to look at.

The steps with friction may keep some numbers there: so a multiprocessor holds four blocks in place of three, or with elastic contacts five in place of four, which was measured to be faster.
Kernels that look for contacts with meshes once in several steps may as well, as what they read of the mesh is much more."""
import os
import re
import sys

KERNEL = re.compile(r"Compiling entry function '(\S+)'.*?\n(?:.*\n)*?\s*(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")

MAY = {"STEP_FRICTION": 8, "STEP_FRICTION_ELASTIC": 44, "STEP_MINDLIN": 12}  # bytes of the step with this law
MAY_KERNELS = {"k_look_shapes": 120, "k_shape_count": 80}


def allowed(source):
    """The same by what is in the name of a kernel: the number of the law."""
    with open(os.path.join(source, "src/device/cuda/module.cu"), encoding="utf-8") as file:
        laws = re.search(r"enum \{\s*(STEP_\w+(?:,\s*STEP_\w+)*)\s*\}", file.read()).group(1)
    numbers = {law.strip(): number for number, law in enumerate(laws.split(","))}
    return {**MAY_KERNELS, **{f"k_stepILi{numbers[law]}E": most for law, most in MAY.items()}}


def main(source, build):
    path = os.path.join(build, "cuda_module.log")
    if not os.path.exists(path):
        print("the CUDA module is not built here: nothing to look at")
        return
    with open(path, encoding="utf-8") as file:
        kernels = KERNEL.findall(file.read())
    may = allowed(source)
    steps = [name for name, *_ in kernels if "k_step" in name]
    if len(kernels) < 20 or len(steps) < 7:
        sys.exit(f"{path}: {len(kernels)} kernels, {len(steps)} of them steps; more were expected")
    bad = [f"{name}: {stores} bytes of spill stores and {loads} of loads" for name, _, stores, loads in kernels if max(int(stores), int(loads)) > max((most for kernel, most in may.items() if kernel in name), default=0)]
    if bad:
        sys.exit("registers spill:\n" + "\n".join(bad))
    print(f"{len(kernels)} kernels, none spills beyond what it may")


main(sys.argv[1], sys.argv[2])
