"""Pairs, and the contact network of a packing.

    /usr/bin/python3 examples/python/pairs_and_network.py [COUNT]

Packs spheres of two sizes, asks who touches whom, and looks at the network: how many partners spheres have, who carries nothing (rattlers),
and whether the network is in one piece.
"""
import sys

import numpy as np

import tutorial
import scree

count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000

# A dense packing in a periodic box. Its spheres touch at most, so "touching" needs a small gap.
packing = scree.pack("bidisperse:2", count, "rearrange", periodic=True)
gap = 1e-3 * 2 * packing.r.mean()
ij, shift = scree.pairs(packing.x, packing.r, packing.box, gap=gap, images=True)
print(f"{len(packing)} spheres at density {packing.density:.3f}, {len(ij)} pairs nearer than {gap:.2g}")

# Partners of each sphere, by its size: large ones have more room for them.
partners = np.bincount(ij.ravel(), minlength=len(packing))
for r in np.unique(packing.r):
    print(f"  radius {r:g}: {partners[packing.r == r].mean():.2f} partners on average")

# The same number by scree.measure, which also finds the rattlers.
m = scree.measure(packing, gap=gap)
assert m.coordination == 2 * len(ij) / len(packing)
print(f"coordination {m.coordination:.2f}; without {m.rattlers} rattlers {m.backbone_coordination:.2f}")

# Pieces of the network: everybody takes the lowest number that they can reach.
piece = np.arange(len(packing))
while True:
    before = piece.copy()
    np.minimum.at(piece, ij[:, 0], before[ij[:, 1]])
    np.minimum.at(piece, ij[:, 1], before[ij[:, 0]])
    piece = piece[piece]
    if (piece == before).all():
        break
sizes = np.sort(np.bincount(piece, minlength=len(packing)))[::-1]
print(f"the largest piece of the network has {sizes[0]} spheres; {(sizes == 1).sum()} spheres stand alone")

# A picture: a slice of the packing with the contacts in it as lines.
plt = tutorial.pyplot()
if plt:
    size = packing.box.size
    ends = packing.x[ij[:, 0]], packing.x[ij[:, 1]] + shift * size
    thin = (np.abs(ends[0][:, 2] - size[2] / 2) < size[2] / 8) & (np.abs(ends[1][:, 2] - size[2] / 2) < size[2] / 8)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5))
    left.imshow(scree.picture(packing, width=700, height=700, images="faces", colour_by=partners.astype(float), bar=False))
    left.set_axis_off()
    left.set_title("colour: partners")
    right.plot([ends[0][thin, 0], ends[1][thin, 0]], [ends[0][thin, 1], ends[1][thin, 1]], "k-", lw=0.8)
    right.set_aspect("equal")
    right.set_title("contacts in a slice")
    tutorial.save(figure, "network.png")
