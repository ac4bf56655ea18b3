"""Every script of tools/ in a fresh clone after `make`, with nothing else there: no test programs, no NumPy, no YAML, no other programs. What it lacks it says in a sentence, before it works.

usage: tools.py SOURCE BUILD
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = map(os.path.realpath, sys.argv[1:])
LONGEST = 60  # seconds: one that takes longer has begun to work

# Command lines, and what the message names ("": nothing is lacking, and it works). Each script needs one; --help is tried for all that have it.
CALLS = {
    "abi": [([], "usage")],
    "bench_friction": [([], "run_grains"), (["--count", "build"], "valgrind")],
    "bench_plan": [(["build", "examples/drop.yaml"], "mpirun")],
    "bench_step": [(["nowhere"], "nowhere/scree"), (["build", "--count"], "valgrind")],
    "beverloo": [([], "NumPy")],
    "contact_orders": [([], "NumPy")],
    "curves.py": [([], "")],
    "deb": [([], "tools/deb FOLDER")],
    "figures": [(["draw", "penetration.png"], "draw_curves"), (["draw", "nonsense.png"], "nonsense.png")],
    "fresh": [(["nowhere"], "")],
    "gpu_arrays": [([], "NumPy")],
    "gpu_check": [(["nowhere"], "nowhere/scree"), (["build", "--device", "cuda"], "cuda")],
    "gpu_table": [([], "usage"), (["check", "nowhere"], "nowhere")],
    "hashes": [(["write"], "make test"), ([], "usage")],
    "janssen": [([], "NumPy")],
    "make_stl": [(["plane", "-o", "plane.stl"], "")],
    "mesh_energy": [([], "NumPy")],
    "polygon_energy": [([], "NumPy")],
    "messages": [(["check"], "make test"), ([], "usage")],
    "nine_codes": [(["silo", "made", "fill"], "NumPy")],
    "page_picture": [(["nowhere.html", "out.png", "64x64"], "nowhere.html"), (["docs/README.md", "out.png", "64x64"], "")],
    "papers_page.py": [([], "scree bench"), (["nowhere"], "nowhere")],
    "prototypes.py": [(["exported"], ""), ([], "usage")],
    "record": [(["made"], "NumPy")],
    "record_measure": [(["made"], "NumPy")],  # and with it, below: no record.yaml
    "repose": [([], "NumPy")],
    "required.py": [([], "")],
    "setup": [(["nonsense"], "nonsense")],
    "site.py": [([".", "build"], "YAML")],
    "small_png.py": [([], "")],
    "test": [([], "usage")],
    "test_packages": [([], "tools/test_packages FOLDER")],
    "test_table.py": [([], "usage"), (["nowhere"], "nowhere")],
    "triaxial": [(["-o", "figure.png"], "draw_curves")],
    "wheel": [([], "tools/wheel BUILD FOLDER")],
}
# With NumPy: before they work for minutes they look whether their figure can be drawn.
DRAW = {"beverloo": ["-o", "f.png"], "janssen": ["-o", "f.png"], "mesh_energy": ["-o", "f.png"], "repose": ["-o", "f.png"], "nine_codes": ["silo", "made", "f.png"]}
LACKS = {"record_measure": (["made"], "made/record.yaml"), "record": (["made", "--scree", "nowhere"], "nowhere")}

failed = calls = 0


def check(script, words, wanted, environment):
    global failed, calls
    calls += 1
    how = [f"tools/{script}"] if os.access(f"tools/{script}", os.X_OK) else ["/usr/bin/python3", "-B", f"tools/{script}"]
    try:
        done = subprocess.run([*how, *words], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        failed += 1
        print(f"tools/{script} {' '.join(words)}: it works on, and was to say that it lacks {wanted}")
        return
    wrong = "Traceback" in done.stdout or re.search(r"unbound variable|: command not found|No module named '(?!numpy|yaml)", done.stdout)
    if wrong or wanted not in done.stdout or (wanted and done.returncode == 0):
        failed += 1
        print(f"tools/{script} {' '.join(words)}: exit code {done.returncode}, expected a sentence with '{wanted}': {done.stdout[-800:]}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if shutil.which("git") and subprocess.run(["git", "-C", SOURCE, "rev-parse"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
            names = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z"], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\0")[:-1]
        else:
            names = [str(path.relative_to(SOURCE)) for path in pathlib.Path(SOURCE).rglob("*") if path.is_file() and "build" not in path.relative_to(SOURCE).parts[:1]]
        for name in names:
            if os.path.isfile(os.path.join(SOURCE, name)):
                os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
                shutil.copy(os.path.join(SOURCE, name), name)
        os.mkdir("build")
        for path in pathlib.Path(BUILD).iterdir():
            if path.name in ("scree", "scree-mpi") or path.name.startswith("lib"):
                os.symlink(path, f"build/{path.name}")
        os.mkdir("bare")
        for module in ("numpy", "yaml"):
            pathlib.Path(f"bare/{module}.py").write_text("raise ImportError('it is not there')\n")
        os.mkdir("few")  # a PATH without other programs
        for name in ("bash", "cat", "cc", "chmod", "cp", "cut", "dirname", "env", "find", "git", "grep", "head", "id", "ls", "mkdir", "mktemp", "nproc", "rm", "sed", "sort", "sh", "tail", "tr", "uname", "which"):
            if shutil.which(name):
                os.symlink(shutil.which(name), f"few/{name}")
        os.symlink("/usr/bin/python3", "few/python3")
        plain = {key: value for key, value in os.environ.items() if not key.startswith(("SCREE", "PYTHON"))} | {"PATH": f"{folder}/few", "PYTHONDONTWRITEBYTECODE": "1"}
        scripts = {path.name for path in pathlib.Path("tools").iterdir() if path.suffix not in (".css",)}
        for script in sorted(scripts ^ set(CALLS)):
            fail_listed(script, script in scripts)
        for script in sorted(scripts & set(CALLS)):
            for words, wanted in CALLS[script]:
                check(script, words, wanted, plain | {"PYTHONPATH": f"{folder}/bare"})
            if "argparse" in pathlib.Path(f"tools/{script}").read_text(errors="replace") and "NumPy" not in {wanted for _, wanted in CALLS[script]}:
                check(script, ["--help"], "", plain)
        if subprocess.run(["/usr/bin/python3", "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode == 0:
            for script, words in DRAW.items():
                check(script, words, "draw_curves", plain)
            for script, (words, wanted) in LACKS.items():
                check(script, words, wanted, plain)
        else:
            print("skipped: figures (no NumPy here)")
    print(f"{len(CALLS)} scripts, {calls} calls, {failed} failed")
    sys.exit(failed > 0)


def fail_listed(script, there):
    global failed
    failed += 1
    print(f"tools/{script}: " + ("add a call to CALLS" if there else "there is no such script"))


if __name__ == "__main__":
    main()
