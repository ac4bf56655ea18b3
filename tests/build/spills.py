"""spills.py SOURCE BUILD: no kernel of the CUDA module keeps values in memory because it has too few registers (-Xptxas -v tells). Without the compiler of CUDA there is nothing to look at.

The steps with friction may keep some numbers there: so a multiprocessor holds four blocks in place of three, or with elastic contacts five in place of four, which was measured to be faster."""
import os
import re
import sys

KERNEL = re.compile(r"Compiling entry function '(\S+)'.*?\n(?:.*\n)*?\s*(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")

MAY = {"k_stepILi7E": 8, "k_stepILi9E": 44}  # bytes of STEP_FRICTION and STEP_FRICTION_ELASTIC


def main(build):
    path = os.path.join(build, "cuda_module.log")
    if not os.path.exists(path):
        print("the CUDA module is not built here: nothing to look at")
        return
    with open(path, encoding="utf-8") as file:
        kernels = KERNEL.findall(file.read())
    steps = [name for name, *_ in kernels if "k_step" in name]
    if len(kernels) < 20 or len(steps) < 7:
        sys.exit(f"{path}: {len(kernels)} kernels, {len(steps)} of them steps; more were expected")
    bad = [f"{name}: {stores} bytes of spill stores and {loads} of loads" for name, _, stores, loads in kernels if max(int(stores), int(loads)) > max((most for kernel, most in MAY.items() if kernel in name), default=0)]
    if bad:
        sys.exit("registers spill:\n" + "\n".join(bad))
    print(f"{len(kernels)} kernels, none spills beyond what it may")


main(sys.argv[2])
