"""spills.py SOURCE BUILD: no kernel of the CUDA module keeps values in memory because it has too few registers (-Xptxas -v tells). Without the compiler of CUDA there is nothing to look at.

Steps with friction may keep a few numbers there: so a multiprocessor holds four blocks in place of three, which was measured to be faster (0.57 against 0.67 ns per sphere and step). The plain step may keep one: eight
blocks in place of seven (0.059 against 0.062 ns). So may the step with rolling: three blocks take the same time as four, which spill 300 bytes."""
import os
import re
import sys

KERNEL = re.compile(r"Compiling entry function '(\S+)'.*?\n(?:.*\n)*?\s*(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")

FRICTION = re.compile(r"k_stepILi(7|11)E")  # STEP_FRICTION, STEP_MINDLIN
PLAIN = re.compile(r"k_stepILi(1|12)E")  # STEP_PLAIN, STEP_MINDLIN_ROLLING
FEW, ONE = 80, 8  # bytes


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
    bad = [f"{name}: {stores} bytes of spill stores and {loads} of loads" for name, _, stores, loads in kernels if max(int(stores), int(loads)) > (FEW if FRICTION.search(name) else ONE if PLAIN.search(name) else 0)]
    if bad:
        sys.exit("registers spill:\n" + "\n".join(bad))
    print(f"{len(kernels)} kernels, none spills beyond what it may")


main(sys.argv[2])
