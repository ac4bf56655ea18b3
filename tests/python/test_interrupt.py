"""Ctrl-C during calls of the library that take no `progress`: the signal comes at a counted question, not after some time."""
import shutil
import signal

import numpy as np
import pytest
import scree
from scree import _library


class Interrupter:
    """Sends Ctrl-C at the n-th question of any watch."""

    def __init__(self, monkeypatch, at):
        self.questions, self.at = 0, at
        ask = _library.Watch._tick

        def tick(watch, context, done):
            self.questions += 1
            if self.questions == self.at:
                signal.raise_signal(signal.SIGINT)
            return ask(watch, context, done)
        monkeypatch.setattr(_library.Watch, "_tick", tick)


rng = np.random.default_rng(5)
POINTS = rng.random((9000, 3))
TREE = scree.Tree(POINTS, 0.01, (1, 1, 1), True, threads=1)
SQUARES = np.stack(np.meshgrid(np.arange(90.0), np.arange(90.0), indexing="ij"), -1).reshape(-1, 2)


MANY = np.stack(np.meshgrid(*[np.arange(17.0)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
SIM = scree.Simulation(MANY, 0.505, box=(17, 17, 17), stiffness=1000, friction=0.5, threads=1)
STATE = SIM.state()
SIZES = scree.Sizes("lognormal:1:0.5")


def corners():
    low = np.column_stack([SQUARES, np.zeros(len(SQUARES))])
    return np.stack([low, low + [1, 0, 0], low + [0, 1, 0]], 1)


CALLS = {
    "Tree": lambda: scree.Tree(POINTS, 0.01, threads=1),
    "within": lambda: TREE.within(POINTS, gap=0.01),
    "nearest": lambda: TREE.nearest(POINTS, k=3),
    "boxes": lambda: TREE.boxes(POINTS, POINTS + 0.01),
    "rays": lambda: TREE.rays(POINTS, np.ones((len(POINTS), 3)), most=0.01, all=True),
    "neighbour_list": lambda: scree.neighbour_list("ij", POINTS, 0.01, threads=1),
    "Mesh": lambda: scree.Mesh(corners(), threads=1),
    "Simulation with bonds": lambda: scree.Simulation(MANY, 0.5, box=(17, 17, 17), stiffness=1000, bonds=dict(gap=0.1, young=10.0), threads=1),
    "set_state": lambda: SIM.set_state(STATE),
    "contacts": lambda: SIM.contacts(),
    "plan": lambda: SIM.plan(3),
    "validate": lambda: SIM.validate(),
    "HardSpheres": lambda: scree.HardSpheres(MANY, 0.49, v=np.ones_like(MANY), box=(17, 17, 17), scale=0.5, threads=1),
    "Sizes.draw": lambda: SIZES.draw(9000),
    "Simulation": lambda: scree.Simulation(POINTS[:100], 0.001, box=(1, 1, 1), stiffness=1000, threads=1),
}


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_is_heard(name, monkeypatch):
    counted = Interrupter(monkeypatch, 0)
    CALLS[name]()
    assert counted.questions > 0
    for at in sorted({1, counted.questions // 2 + 1, counted.questions}):
        with monkeypatch.context() as patch:
            Interrupter(patch, at)
            with pytest.raises(KeyboardInterrupt):
                CALLS[name]()
    CALLS[name]()  # nothing is left of it


def test_nearest_in_one_place_ends():
    for count in (1, 3):
        tree = scree.Tree(np.full((count, 3), 0.25), 0, (1, 2, 2), True)
        near = tree.nearest([[0.25, 0.25, 0.25]], k=3 * count)
        assert near.value.tolist() == [0.0] * count + [1.0] * 2 * count


SCENE = """box: {size: [1, 1, 1]}
spheres: {count: 3, sizes: "mono:0.05", place: random}
contact: {stiffness: 100}
time: {step: 1e-4, steps: 5}
output: {every_steps: 1}
"""


def test_a_folder_that_is_removed_is_an_error(tmp_path):
    (tmp_path / "scene.yaml").write_text(SCENE)

    def remove(progress):
        if progress.step >= 2:
            shutil.rmtree(tmp_path / "run", ignore_errors=True)

    with pytest.warns(RuntimeWarning, match="last checkpoint is not there"), pytest.raises(scree.FileError, match="run"):
        scree.run(tmp_path / "scene.yaml", tmp_path / "run", progress=remove)
