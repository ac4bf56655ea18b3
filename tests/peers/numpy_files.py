"""NumPy arrays: np.load reads what scree writes, scree reads what np.save writes.

usage: numpy_files.py PROGRAM [SPHERES]     (20000 unless said)
"""
import os
import warnings

import peer

try:
    import numpy as np
except ImportError as error:
    peer.missing("NumPy", error)


def example(n, dim, seed):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.standard_normal((n, dim)) * 1e3, rng.random(n)])


def plain(program, folder, n):
    """Arrays without names, of every dtype, order and version."""
    for dim in (2, 3):
        values = example(n, dim, dim)
        for dtype in ("<f8", ">f8", "<f4", ">f4", "<i4", ">i8", "<i2", "<u2", "|u1"):
            array = (np.abs(values) % 200 if "u" in dtype else values).astype(dtype)
            array[:, dim] = np.abs(array[:, dim])
            for order in "CF":
                for version in ((1, 0), (2, 0), (3, 0)) if (dtype, order) == ("<f8", "C") else ((1, 0),):
                    path = os.path.join(folder, "theirs.npy")
                    with open(path, "wb") as out, warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        np.lib.format.write_array(out, np.array(array, order=order), version=version)
                    ours = peer.columns(program, path)
                    what = f"{dtype}, order {order}, version {version[0]}, {dim}D"
                    for c, name in enumerate("xyzr" if dim == 3 else "xyr"):
                        peer.check(np.array_equal(peer.numbers(ours[name]), array[:, c].astype("f8")), f"{what}: {name} differs")
                    back = os.path.join(folder, "ours.npy")
                    peer.convert(program, path, back)
                    again = np.load(back)
                    peer.check(again.dtype == "<f8" and np.array_equal(again, array.astype("f8")),
                               f"{what}: differs after scree")
        print(f"plain, {dim}D: {n} alike", flush=True)
    path = os.path.join(folder, "none.npy")
    np.save(path, np.zeros((0, 4)))
    peer.convert(program, path, os.path.join(folder, "none_too.npy"))
    peer.check(np.load(os.path.join(folder, "none_too.npy")).shape == (0, 4), "no spheres: another shape")


def structured(program, folder, n, align):
    rng = np.random.default_rng(7)
    fields = [("name", "<U7"), ("x", ">f4"), ("y", "<f8"), ("z", "<i2"), ("radius", "<f8"), ("velocity", "<f8", (3,)),
              ("tag", ">u4"), ("on", "?"), ("code", "S4"), ("m", "<f4", (2, 2)), ("größe", "<i8"), ("石", "|i1")]
    array = np.zeros(n, np.dtype(fields, align=align))
    for name in ("x", "y", "velocity", "m"):
        array[name] = rng.standard_normal(array[name].shape)
    array["radius"] = rng.random(n)
    array["z"] = rng.integers(-1000, 1000, n)
    array["tag"] = rng.integers(0, 2**32, n)
    array["on"] = rng.integers(0, 2, n)
    array["größe"] = rng.integers(-2**63, 2**63, n)
    array["石"] = rng.integers(-128, 128, n)
    array["name"] = rng.choice(["quartz", "", "Körner", "石 🪨", " x "], n)
    array["code"] = rng.choice([b"ab", b"c", b"", b"defg"], n)
    path, back = os.path.join(folder, "fields.npy"), os.path.join(folder, "fields_too.npy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.save(path, array)
    peer.convert(program, path, back)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = np.load(back, mmap_mode="r")
    what = f"fields, {'aligned' if align else 'packed'}"
    wanted = ["x", "y", "z", "r"] + [field[0] for field in fields if field[0] not in ("x", "y", "z", "radius")]
    peer.check(list(again.dtype.names) == wanted, f"{what}: names {again.dtype.names}")
    peer.check(again.offset % 64 == 0, f"{what}: the data begins at byte {again.offset}")
    for name in wanted:
        theirs = array["radius" if name == "r" else name]
        ours = again[name]
        if name == "m":
            theirs = theirs.reshape(n, 4)
        if name == "code":
            theirs = np.char.decode(theirs, "ascii")
        peer.check(np.array_equal(ours, theirs), f"{what}: {name} differs")
        kind = "f" if name in "xyzr" else {"b": "i", "u": "i"}.get(theirs.dtype.kind, theirs.dtype.kind)
        peer.check(ours.dtype.kind == kind, f"{what}: {name} has dtype {ours.dtype}")
    print(f"{what}: {n} alike", flush=True)


def work(program, folder, n):
    plain(program, folder, n // 4)  # in many types and orders
    structured(program, folder, n, False)
    structured(program, folder, n, True)


if __name__ == "__main__":
    peer.main(20_000, work)
