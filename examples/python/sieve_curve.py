"""A packing from a sieve curve, and its g(r).

    /usr/bin/python3 examples/python/sieve_curve.py [COUNT]

Reads the sieve curve of a gravel (examples/sieve.csv), packs as many grains, and compares what came out with what was asked for.
"""
import sys

import numpy as np

import tutorial
import scree

count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000

law = scree.Sizes(f"table:{tutorial.EXAMPLES / 'sieve.csv'}")
r = law.draw(count)
print(f"{law.text}: diameters {2 * law.min:g} to {2 * law.max:g}; a random close packing would have density {scree.predict_density(r):.3f}")

packing = scree.pack(law, count, "rearrange", periodic=True)
m = scree.measure(packing)
print(f"packed to {m.density:.3f}, coordination {m.coordination:.2f}, {m.rattlers} rattlers, largest overlap {m.max_overlap:g}")

# What passes the sieves: asked for and realised.
d, share = np.loadtxt(tutorial.EXAMPLES / "sieve.csv", delimiter=",", skiprows=1).T
volume = packing.r ** 3
for sieve, wanted in zip(d, share):
    print(f"  below {1e3 * sieve:5.2f} mm: {volume[2 * packing.r <= sieve].sum() / volume.sum():6.3f} of the mass, wished {wanted:6.3f}")

g = m.g_r
peak = g.r[np.argmax(g.g)]
print(f"g(r) has its highest peak at {1e3 * peak:.2f} mm ({peak / m.diameter_mean:.2f} mean diameters), and is {g.g[-25:].mean():.3f} far away")

plt = tutorial.pyplot()
if plt:
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(14, 4.2))
    left.imshow(scree.picture(packing, width=600, height=600, images="fill"))
    left.set_axis_off()
    middle.plot(1e3 * d, share, "k-", label="sieve curve")
    middle.plot(1e3 * m.size_curve.d, m.size_curve.by_mass, "o", ms=3, label="packing")
    middle.set_xlabel("diameter, mm")
    middle.set_ylabel("passing, by mass")
    middle.legend()
    right.plot(1e3 * g.r, g.g)
    right.axhline(1, color="0.7")
    right.set_xlabel("r, mm")
    right.set_ylabel("g(r)")
    tutorial.save(figure, "sieve.png")
