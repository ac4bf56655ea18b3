"""PNG pictures made small enough for a page: shrunk by a whole factor, with a palette of at most 256 colours.

Reads what scree writes, 8 bits RGB or RGBA without interlacing, and needs Python alone. Pixels of k x k are averaged; colours are chosen by median cut over
the colours that occur, 5 bits per channel: the set with the most spread is split at its median until there are enough. A dense packing of 1200 x 1000 pixels
comes down from 780 to some 120 kilobytes.
"""
import heapq
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunks(data):
    at = len(SIGNATURE)
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        yield kind, data[at + 8:at + 8 + length]
        at += 12 + length


def unfilter(kind, row, above, step):
    """A row as it was before its filter. `above` is the row before, `step` the bytes of a pixel."""
    count = len(row)
    if kind == 1:
        for i in range(step, count):
            row[i] = (row[i] + row[i - step]) & 255
    elif kind == 2:
        row[:] = bytes((a + b) & 255 for a, b in zip(row, above))
    elif kind == 3:
        for i in range(count):
            row[i] = (row[i] + ((row[i - step] if i >= step else 0) + above[i]) // 2) & 255
    elif kind == 4:
        for i in range(count):
            left, up, corner = (row[i - step], above[i], above[i - step]) if i >= step else (0, above[i], 0)
            near = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
            row[i] = (row[i] + (left if near[0] <= near[1] and near[0] <= near[2] else up if near[1] <= near[2] else corner)) & 255
    elif kind != 0:
        raise ValueError(f"PNG filter {kind}; 0 to 4 were expected")


def read(path):
    """Width and rows, each three bytes per pixel."""
    data = path.read_bytes()
    if not data.startswith(SIGNATURE):
        raise ValueError(f"{path}: not a PNG file")
    parts = list(chunks(data))
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", parts[0][1])
    if depth != 8 or colour not in (2, 6) or interlaced:
        raise ValueError(f"{path}: {depth} bits, colour type {colour}; 8 bits RGB or RGBA without interlacing were expected")
    step = 3 if colour == 2 else 4
    raw, length = zlib.decompress(b"".join(body for kind, body in parts if kind == b"IDAT")), width * step + 1
    rows, above = [], bytearray(width * step)
    for y in range(height):
        row = bytearray(raw[y * length + 1:(y + 1) * length])
        unfilter(raw[y * length], row, above, step)
        rows.append(row)
        above = row
    if step == 4:
        rows = [bytes(b for i, b in enumerate(row) if i % 4 != 3) for row in rows]
    return width, rows


def shrink(width, rows, k):
    """Means over squares of k x k pixels; what is left over at the right and below is cut off."""
    width, small, area = width // k, [], k * k
    for y in range(0, len(rows) - k + 1, k):
        sums = [sum(column) for column in zip(*rows[y:y + k])]
        row = bytearray(3 * width)
        for c in range(3):
            channel = sums[c::3]
            row[c::3] = bytes((sum(cells) + area // 2) // area for cells in zip(*(channel[j:k * width:k] for j in range(k))))
        small.append(row)
    return width, small


def palette_of(pixels, most):
    """Colours, and which of them each pixel's first five bits per channel mean."""
    found = {}
    for r, g, b in pixels:
        sums = found.setdefault((r >> 3, g >> 3, b >> 3), [0, 0, 0, 0])
        sums[0] += 1
        sums[1] += r
        sums[2] += g
        sums[3] += b

    def spread(keys):
        sides = [max(key[c] for key in keys) - min(key[c] for key in keys) for c in range(3)]
        axis = sides.index(max(sides))
        return -sides[axis] * sum(found[key][0] for key in keys), axis

    sets = [(*spread(list(found)), 0, sorted(found))]
    number = 1
    while len(sets) < most and sets[0][0] < 0:
        _, axis, _, keys = heapq.heappop(sets)
        keys.sort(key=lambda key: (key[axis], key))
        half, count, cut = sum(found[key][0] for key in keys) / 2, 0, 0
        while cut < len(keys) - 1 and (cut == 0 or count + found[keys[cut]][0] <= half):
            count += found[keys[cut]][0]
            cut += 1
        for part in (keys[:cut], keys[cut:]):
            heapq.heappush(sets, (*spread(part), number, part))  # the number makes the order of equal ones definite
            number += 1
    colours, meaning = [], {}
    for index, (_, _, _, keys) in enumerate(sorted(sets, key=lambda entry: entry[2])):
        total = sum(found[key][0] for key in keys)
        colours.append(tuple((sum(found[key][c] for key in keys) + total // 2) // total for c in (1, 2, 3)))
        meaning.update({key: index for key in keys})
    return colours, meaning


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def write(path, width, rows, most=256):
    pixels = [list(zip(row[0::3], row[1::3], row[2::3])) for row in rows]
    colours, meaning = palette_of((pixel for row in pixels for pixel in row), most)
    raw = b"".join(b"\0" + bytes(meaning[r >> 3, g >> 3, b >> 3] for r, g, b in row) for row in pixels)
    path.write_bytes(SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), 8, 3, 0, 0, 0)) + chunk(b"PLTE", bytes(c for colour in colours for c in colour)) +
                     chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


def convert(source, target, largest=800):
    """Writes `source` to `target`, at most `largest` pixels wide and high."""
    width, rows = read(source)
    k = -(-max(width, len(rows)) // largest)
    write(target, *(shrink(width, rows, k) if k > 1 else (width, rows)))
