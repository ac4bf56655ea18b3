// The data of the page: what scree wrote into it (src/view/view.c says how), back as arrays.
//
// An array lies in a block: bytes of the values by planes (all first bytes, then all second ones, ...), deflated, as base64.
// Blocks are read when they are first needed; the blocks of the last shown frames are kept.
const meta = JSON.parse(document.getElementById("scree-meta").textContent);

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const out = new Uint8Array((text.length / 4) * 3 - padding);
  const step = 1 << 16;  // a multiple of 4: every piece is whole
  for (let from = 0, at = 0; from < text.length; from += step) {
    const part = atob(text.slice(from, from + step));
    for (let k = 0; k < part.length; ++k) out[at++] = part.charCodeAt(k);
  }
  return out;
}

async function bytesOfBlock(block) {
  const packed = bytesOfBase64(document.getElementById("b" + block).textContent);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The values of a block whose numbers have `width` bytes, as one Uint8Array in the machine's (little-endian) order.
function joinPlanes(bytes, width, count) {
  const out = new Uint8Array(count * width);
  for (let plane = 0; plane < width; ++plane)
    for (let i = 0, from = plane * count, to = plane; i < count; ++i, to += width) out[to] = bytes[from + i];
  return out;
}

const decoders = {
  // 24-bit steps from low to high, as numbers in 0..1
  q24(bytes, count) {
    const out = new Float32Array(count), low = bytes.subarray(0, count), mid = bytes.subarray(count, 2 * count), high = bytes.subarray(2 * count);
    for (let i = 0; i < count; ++i) out[i] = (low[i] + 256 * mid[i] + 65536 * high[i]) / 16777215;
    return out;
  },
  f32: (bytes, count) => new Float32Array(joinPlanes(bytes, 4, count).buffer),  // times 2^exponent
  i32: (bytes, count) => new Int32Array(joinPlanes(bytes, 4, count).buffer),
  f64: (bytes, count) => new Float64Array(joinPlanes(bytes, 8, count).buffer),
  text: (bytes) => new TextDecoder().decode(bytes).split("\0"),
};

const blocks = new Map();  // number -> promise of the decoded array; the last used come last
const BYTES_KEPT = 512e6;
let bytesKept = 0;

function fetchArray(array, count) {
  let kept = blocks.get(array.block);
  if (kept) {
    blocks.delete(array.block);
  } else {
    kept = { bytes: count * 8, data: bytesOfBlock(array.block).then((bytes) => decoders[array.kind](bytes, count)) };
    bytesKept += kept.bytes;
  }
  blocks.set(array.block, kept);
  for (const [block, old] of blocks) {
    if (bytesKept <= BYTES_KEPT || block === array.block) break;
    blocks.delete(block);
    bytesKept -= old.bytes;
  }
  return kept.data;
}

// The scene's middle and largest side, over all frames: positions are drawn as (x - middle) / size.
function sceneOf(frames) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const frame of frames)
    for (let k = 0; k < meta.dim; ++k) {
      low[k] = Math.min(low[k], frame.lower[k]);
      high[k] = Math.max(high[k], frame.upper[k]);
    }
  const middle = [0, 0, 0], half = [0, 0, 0];
  for (let k = 0; k < meta.dim; ++k) {
    middle[k] = low[k] / 2 + high[k] / 2;
    half[k] = high[k] / 2 - low[k] / 2;
  }
  return { middle, half, size: 2 * Math.max(...half) || 1 };
}

const scene = sceneOf(meta.frames);

// Everything needed to draw frame f: places and radii in units of scene.size around its middle.
async function loadFrame(f) {
  const frame = meta.frames[f], count = frame.count;
  const find = (name) => frame.arrays.find((array) => array.name === name);
  const place = new Float32Array(3 * count);
  for (let k = 0; k < meta.dim; ++k) {
    const array = find("xyz"[k]), steps = await fetchArray(array, count);
    const from = (array.low - scene.middle[k]) / scene.size, width = (array.high - array.low) / scene.size;
    for (let i = 0; i < count; ++i) place[3 * i + k] = from + width * steps[i];
  }
  const array = find("radius"), stored = await fetchArray(array, count), unit = 2 ** array.exponent / scene.size;
  const radius = new Float32Array(count);
  for (let i = 0; i < count; ++i) radius[i] = stored[i] * unit;
  const outlines = frame.shapes ? await loadOutlines(frame, unit) : noOutlines(count, radius);
  return { number: f, count, place, radius, outlines, box: frame, gap: frame.gap / scene.size };
}
const toScene = (x, k) => (x - scene.middle[k]) / scene.size;

// Of bodies that may be polygons: how many corners each has, these about its centre (x, y, ...), how it is turned, whether it is fixed, and how far it
// reaches from its centre. `shapes` tells shapes that are the same from others.
async function loadOutlines(frame, radiusUnit) {
  const find = (list, name) => list.find((array) => array.name === name), count = frame.count;
  const sums = find(frame.arrays, "corners"), corners = await fetchArray(sums, count), total = corners.reduce((sum, n) => sum + n, 0);
  const parts = ["corner_x", "corner_y"].map((name) => find(frame.shapes, name)), corner = new Float32Array(2 * total);
  for (let k = 0; k < 2; ++k) {
    const stored = await fetchArray(parts[k], total), unit = 2 ** parts[k].exponent / scene.size;
    for (let v = 0; v < total; ++v) corner[2 * v + k] = stored[v] * unit;
  }
  const turned = find(frame.shapes, "turn"), steps = await fetchArray(turned, count), turn = new Float64Array(count);
  for (let i = 0; i < count; ++i) turn[i] = turned.low + (turned.high - turned.low) * steps[i];
  const column = find(frame.arrays, "fixed"), flags = column && column.of === 1 && column.kind !== "text" ? await fetchArray(column, count) : [];
  const fixed = Uint8Array.from({ length: count }, (_, i) => (flags[i] ? 1 : 0));
  const radii = find(frame.arrays, "radius"), radius = await fetchArray(radii, count), reach = new Float32Array(count);
  for (let i = 0, v = 0; i < count; ++i) {
    if (corners[i] === 0) reach[i] = radius[i] * radiusUnit;
    for (const end = v + corners[i]; v < end; ++v) reach[i] = Math.max(reach[i], Math.hypot(corner[2 * v], corner[2 * v + 1]));
  }
  return { corners, corner, turn, fixed, reach, shapes: [sums.block, parts[0].block, parts[1].block, radii.block].join() };
}

// Spheres, discs.
function noOutlines(count, radius) {
  const none = new Uint8Array(count);
  return { corners: none, corner: new Float32Array(0), turn: none, fixed: none, reach: radius, shapes: radius };
}

// Who touches body i, found before rounding: [{ j, gap }].
async function loadTouching(f, i) {
  const frame = meta.frames[f], lists = [];
  for (const array of frame.pairs) lists.push([await fetchArray(array, frame.pair_count), 2 ** (array.exponent || 0)]);
  const [[one], [two], [gap, unit]] = lists, out = [];
  for (let p = 0; p < frame.pair_count; ++p) {
    if (one[p] === i) out.push({ j: two[p], gap: gap[p] * unit });
    if (two[p] === i) out.push({ j: one[p], gap: gap[p] * unit });
  }
  return out.sort((p, q) => p.gap - q.gap || p.j - q.j);
}

// The values of one quantity in frame f in the user's unit; NaN where the frame does not have it. Vectors: component or, with -1, length.
async function loadValues(f, name, component = -1) {
  const frame = meta.frames[f], count = frame.count, parts = frame.arrays.filter((array) => array.name === name);
  const chosen = component < 0 ? parts : [parts[component]].filter(Boolean);
  const out = new Float64Array(count).fill(chosen.length ? 0 : NaN);
  for (const array of chosen) {
    const stored = await fetchArray(array, count);
    const value = array.kind === "q24" ? (i) => array.low + (array.high - array.low) * stored[i] : (i) => stored[i] * 2 ** (array.exponent || 0);
    if (chosen.length === 1) for (let i = 0; i < count; ++i) out[i] = value(i);
    else for (let i = 0; i < count; ++i) out[i] = Math.hypot(out[i], value(i));
  }
  return out;
}

// All that is known of sphere or body i in frame f: [name, text] rows.
async function rowsOf(f, i) {
  const frame = meta.frames[f], rows = new Map();
  for (const array of frame.arrays) {
    const stored = (await fetchArray(array, frame.count))[i];
    const value = array.kind === "q24" ? array.low + (array.high - array.low) * stored : array.kind === "f32" ? stored * 2 ** array.exponent : stored;
    if (!rows.has(array.name)) rows.set(array.name, []);
    rows.get(array.name).push(typeof value === "number" ? showNumber(value, 6) : value);
  }
  return [...rows].map(([name, values]) => [name, values.join(", ")]);
}

// The quantities that can be coloured by: { name, component, label, low, high } with the range over all frames.
function quantities() {
  const out = new Map();
  for (const frame of meta.frames)
    for (const array of frame.arrays) {
      if (array.kind === "text") continue;
      const add = (component, label, low, high) => {
        const had = out.get(label) || { name: array.name, component, label, low: Infinity, high: -Infinity };
        if (low !== null) had.low = Math.min(had.low, low);
        if (high !== null) had.high = Math.max(had.high, high);
        out.set(label, had);
      };
      if (array.of > 1 && array.component === 0) add(-1, array.name, array.length_low, array.length_high);
      const suffix = array.of <= 3 ? "xyz"[array.component] : array.component;
      if (array.of > 1) add(array.component, array.name + "_" + suffix, array.low, array.high);
      else add(-1, array.name, array.low, array.high);
    }
  return [...out.values()];
}
