# The front door. CMake builds (CMakeLists.txt); this file fetches what is missing, calls it, and runs the result.
# Each goal does its own set-up by tools/setup: when nothing is missing, nothing is installed.

PREFIX ?= /usr/local
DESTDIR ?=
SCREE_FUZZ_SECONDS ?= 600
export DESTDIR SCREE_FUZZ_SECONDS
JOBS := $(shell nproc 2>/dev/null || echo 2)
# CMake's own make must not take over the flags and job server of this one.
CMAKE := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL cmake

.NOTPARALLEL:
.PHONY: all demo test test-ci test-peers bench docs figures fuzz wheel deb test-packages install clean help

all:
	@tools/setup build
	@tools/fresh build
	@$(CMAKE) --preset release -DCMAKE_RULE_MESSAGES=ON
	@$(CMAKE) --build build -j$(JOBS)

demo: all
	build/scree demo --picture build/demo.png

test:
	@tools/setup build test
	@tools/setup ranks || echo "without MPI: the tests of several processes are skipped"
	@tools/test all

test-ci:
	@tools/setup build test peers
	@tools/setup ranks || echo "without MPI: the tests of several processes are skipped"
	@tools/test ci

test-peers:
	@tools/setup build test peers
	@tools/test peers

bench: all
	build/scree bench speed

docs: all
	@tools/setup docs
	/usr/bin/python3 -B tools/site.py . build
	@echo "the manual: build/site/index.html"

figures: all
	tools/figures draw

fuzz:
	@tools/setup build test
	@tools/test fuzz

wheel: all
	@tools/setup build wheel
	@tools/wheel build build/wheel

deb:
	@tools/setup build ranks deb
	@tools/deb build/deb

test-packages:
	@tools/setup build ranks deb
	@tools/test_packages build/deb

install: all
	$(CMAKE) --install build --prefix "$(PREFIX)"
	@if [ -z "$$DESTDIR" ] && [ "$$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then ldconfig; fi

clean:
	rm -rf build

help:
	@echo "make             build the program, build/scree, and the libraries"
	@echo "make demo        build, and run a small demonstration"
	@echo "make test        build every configuration and run all tests (SCREE_TEST_EFFORT=10: ten times longer)"
	@echo "make test-peers  compare with other programs: LAMMPS, SciPy, VTK, ASE, NumPy"
	@echo "make test-ci     both in one run, as the continuous integration does"
	@echo "make bench       time the search beside a plain grid (minutes; build/scree bench speed --quick: seconds)"
	@echo "make docs        the manual as HTML, build/site/index.html"
	@echo "make figures     draw the figures of the manual whose inputs changed (minutes each)"
	@echo "make fuzz        feed the readers with broken files for SCREE_FUZZ_SECONDS=$(SCREE_FUZZ_SECONDS) each"
	@echo "make wheel       the Python module with its libraries as a wheel, in build/wheel/"
	@echo "make deb         Debian packages, in build/deb/"
	@echo "make test-packages  make them, look at them with lintian, install them in a bare Debian (as root; minutes)"
	@echo "make install     install below PREFIX=$(PREFIX), staged into DESTDIR if that is set"
	@echo "make clean       remove build/"
	@echo "What is missing for a goal is installed by apt, as root or with sudo; else the line to run is printed."
