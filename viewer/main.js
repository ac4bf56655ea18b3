// The page: settings, mouse, touch, keys, time. It draws when something has changed, and not else.
const byId = (id) => document.getElementById(id);
const canvas = byId("view"), root = document.documentElement;
const state = { frame: null, number: 0, chosen: -1, playing: false, dirty: true, quantity: null, request: 0 };
const stats = { loadMilliseconds: 0, drawMilliseconds: 0, draws: 0 };  // drawMilliseconds: JavaScript of the last draw
let gl, camera, bodies, box, walls, surfaces, rods, layers;  // bodies: spheres, or polygons and discs

function colours() {
  const style = getComputedStyle(root);
  const rgb = (name) => [1, 3, 5].map((at) => parseInt(style.getPropertyValue(name).trim().slice(at, at + 2), 16) / 255);
  return { paper: rgb("--paper"), line: rgb("--ink"), accent: rgb("--accent") };
}
let theme;

function say(text) {
  byId("message").textContent = text;
  byId("message").hidden = text === "";
}

function give(text) {  // up
  root.dataset.failed = "";
  say(text);
}

// ---- Drawing -----------------------------------------------------------------------------------------------------------

function resize() {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio)), height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    state.dirty = true;
  }
  camera.aspect = width / height;
}

// 2D sets are fitted between what lies over the canvas: title, settings, legend and time.
function makeRoom() {
  if (!camera || !camera.flat) return;
  const rect = (id) => byId(id).getBoundingClientRect(), width = canvas.clientWidth, height = canvas.clientHeight;
  const top = rect("menu").bottom, bottom = height - Math.min(rect("legend").top, byId("time").hidden ? height : rect("time").top);
  const right = byId("panel").hidden || matchMedia("(max-width: 640px)").matches ? 0 : width - rect("panel").left;
  camera.share = [Math.max(1 - right / width, 0.2), Math.max(1 - (top + bottom) / height, 0.2)];
  camera.shift = [-right / width, (bottom - top) / height];
  state.dirty = true;
}

function draw() {
  const begun = performance.now();
  resize();
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  gl.viewport(0, 0, canvas.width, canvas.height);
  gl.clearColor(...theme.paper, 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  for (const layer of layers) if (!layer.hidden) layer.draw(camera, theme);
  state.dirty = camera.changed = false;
  stats.drawMilliseconds = performance.now() - begun;
  ++stats.draws;
}

function tick() {
  if (state.dirty || camera.changed) draw();
  requestAnimationFrame(tick);
}

// Draws numbers instead of colours and returns them for a part of the canvas (in its own pixels, from below): 1 + sphere or body, 0 for none.
let numbers = null;
function numbersIn(x, y, width, height) {
  if (!numbers || numbers.width !== canvas.width || numbers.height !== canvas.height) {
    if (numbers) [gl.deleteFramebuffer(numbers.frame), gl.deleteRenderbuffer(numbers.colour), gl.deleteRenderbuffer(numbers.depth)];
    numbers = { width: canvas.width, height: canvas.height, frame: gl.createFramebuffer(), colour: gl.createRenderbuffer(), depth: gl.createRenderbuffer() };
    gl.bindFramebuffer(gl.FRAMEBUFFER, numbers.frame);
    for (const [buffer, format, place] of [[numbers.colour, gl.RGBA8, gl.COLOR_ATTACHMENT0], [numbers.depth, gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]]) {
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, canvas.width, canvas.height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
    }
  }
  gl.bindFramebuffer(gl.FRAMEBUFFER, numbers.frame);
  gl.viewport(0, 0, canvas.width, canvas.height);
  gl.enable(gl.SCISSOR_TEST);  // only this part is worked on
  gl.scissor(x, y, width, height);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  bodies.draw(camera, theme, true);
  const rgba = new Uint8Array(4 * width * height);
  gl.readPixels(x, y, width, height, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
  gl.disable(gl.SCISSOR_TEST);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  return new Int32Array(rgba.buffer);
}

// The sphere or body seen at a place of the window (in CSS pixels), or -1.
function pick(x, y) {
  const px = Math.floor((x * canvas.width) / canvas.clientWidth), py = canvas.height - 1 - Math.floor((y * canvas.height) / canvas.clientHeight);
  return numbersIn(px, py, 1, 1)[0] - 1;
}

// ---- Colours -----------------------------------------------------------------------------------------------------------

function paletteOf(name) {
  const text = meta.maps[name], out = new Uint8Array(text.length / 2);
  for (let k = 0; k < out.length; ++k) out[k] = parseInt(text.slice(2 * k, 2 * k + 2), 16);
  return out;
}

function canBeLog(quantity) { return quantity.low > 0; }

async function recolour() {
  const quantity = state.quantity, request = state.request, log = byId("log").checked && canBeLog(quantity);
  const values = await loadValues(state.frame.number, quantity.name, quantity.component);
  if (request !== state.request || quantity !== state.quantity) return;  // overtaken
  const empty = !(quantity.low <= quantity.high);
  bodies.greyFixed = quantity.name !== "fixed";
  bodies.setTones(tonesOf(values, quantity.low, quantity.high, log));
  bodies.setPalette(paletteOf(byId("map").value));
  state.dirty = true;
  const palette = paletteOf(byId("map").value), bar = byId("legend-bar").getContext("2d"), image = bar.createImageData(256, 1);
  for (let n = 0; n < 256; ++n) image.data.set([palette[3 * n], palette[3 * n + 1], palette[3 * n + 2], 255], 4 * n);
  bar.putImageData(image, 0, 0);
  byId("legend-name").textContent = quantity.label + (log ? " (logarithmic)" : "");
  byId("legend-ticks").replaceChildren(...(empty ? [] : ticksOf(quantity.low, quantity.high, log)).map(([t, value]) => {
    const span = document.createElement("span");
    span.style.left = 100 * t + "%";
    span.textContent = showNumber(value, 3);
    return span;
  }));
  const spans = [...byId("legend-ticks").children], rects = spans.map((span) => span.getBoundingClientRect());
  for (let k = 1, before = 0; k < spans.length - 1; ++k) {  // of long numbers not all have room
    const room = rects[k].left > rects[before].right + 6 && rects[k].right + 6 < rects[spans.length - 1].left;
    spans[k].style.visibility = room ? "" : "hidden";
    if (room) before = k;
  }
}

// ---- What is shown ----------------------------------------------------------------------------------------------------

const sizes = { low: 0, high: 0 };
function sizeAt(share) {  // slider to radius
  if (share >= 1) return sizes.high;
  if (share <= 0) return sizes.low;
  return sizes.low > 0 && sizes.high / sizes.low >= 20 ? sizes.low * (sizes.high / sizes.low) ** share : sizes.low + share * (sizes.high - sizes.low);
}

function applySizes() {
  const from = byId("smallest").value / 1000, to = byId("largest").value / 1000;
  const any = sizes.low <= sizes.high;  // an empty set has no sizes
  byId("smallest-value").textContent = any ? showNumber(sizeAt(from), 3) : "–";
  byId("largest-value").textContent = any ? showNumber(sizeAt(to), 3) : "–";
  // At the ends everything passes; the radii on the card are rounded to 24 bits, a slider's value is not.
  bodies.shown = [from <= 0 ? 0 : sizeAt(from) / scene.size, to >= 1 ? Infinity : sizeAt(to) / scene.size];
  state.dirty = true;
}

function applyCut() {
  const axis = Number(byId("cut-axis").value), share = byId("cut").value / 1000;
  byId("cut").disabled = byId("cut-flip").disabled = axis < 0;
  if (axis < 0) {
    bodies.cut = null;
    byId("cut-value").textContent = "";
  } else {
    const at = scene.middle[axis] + (2 * share - 1) * scene.half[axis];
    bodies.cut = { axis, at: (at - scene.middle[axis]) / scene.size, sign: byId("cut-flip").checked ? -1 : 1 };
    byId("cut-value").textContent = "xyz"[axis] + " = " + showNumber(at, 4);
  }
  if (rods) rods.cut = bodies.cut;
  state.dirty = true;
}

// ---- One sphere --------------------------------------------------------------------------------------------------------

async function choose(i) {
  const frame = state.frame;
  state.chosen = i;
  const marks = new Uint8Array(frame.count);
  if (i < 0 || i >= frame.count) {
    byId("info").hidden = true;
    bodies.setMarks(marks, false);
    state.dirty = true;
    return;
  }
  const rows = await rowsOf(frame.number, i);
  if (state.frame !== frame || state.chosen !== i) return;
  const count = Number(rows.find(([name]) => name === "partners")[1]);
  const near = frame.box.pairs ? await loadTouching(frame.number, i) : partnersOf(frame, i, count);
  if (state.frame !== frame || state.chosen !== i) return;
  for (const { j } of near) marks[j] = 1;
  marks[i] = 2;
  bodies.setMarks(marks, true);
  state.dirty = true;
  byId("info-title").textContent = nounOf(frame.outlines.corners[i] > 0, 1, true) + " " + i;
  for (const { j, gap } of near.slice(0, 200)) rows.push(["touches " + j, frame.box.pairs && gap === 0 ? "overlap" : "gap " + showNumber(gap, 3)]);
  if (near.length > 200) rows.push(["and", near.length - 200 + " more"]);
  byId("info-table").replaceChildren(...rows.map((row) => {
    const tr = document.createElement("tr");
    for (const text of row) tr.insertCell().textContent = text;
    return tr;
  }));
  byId("info").hidden = false;
}

function nounOf(polygon, count, capital = false) {
  const [one, many] = polygon ? ["polygon", "polygons"] : meta.dim === 2 ? ["disc", "discs"] : ["sphere", "spheres"], word = count === 1 ? one : many;
  return capital ? word[0].toUpperCase() + word.slice(1) : word;
}

// "1 sphere"; "12 polygons, 3 discs (4 fixed)".
function summaryOf(frame) {
  const polygons = frame.outlines.corners.reduce((sum, n) => sum + (n > 0), 0), fixed = frame.outlines.fixed.reduce((sum, n) => sum + n, 0);
  const parts = [[true, polygons], [false, frame.count - polygons]].filter(([polygon, count]) => count > 0 || (frame.count === 0 && !polygon));
  return parts.map(([polygon, count]) => count + " " + nounOf(polygon, count)).join(", ") + (fixed ? " (" + fixed + " fixed)" : "");
}

// ---- Time --------------------------------------------------------------------------------------------------------------

async function show(f) {
  const request = ++state.request;
  const frame = await loadFrame(f);
  if (request !== state.request) return;  // a later frame was asked for meanwhile
  const info = meta.frames[f];
  state.number = f;
  state.frame = frame;
  bodies.setFrame(frame);
  bodies.setMarks(new Uint8Array(frame.count), false);
  box.setBox(info.box_lower.map(toScene), info.box_upper.map(toScene), meta.dim, info.container);
  if (meta.dim === 3) walls.setBox(info.box_lower.map(toScene), info.box_upper.map(toScene), info.periodic, info.container);
  if (surfaces) await surfaces.setSurfaces(f);
  if (rods) await rods.setFrame(frame);
  byId("frame").value = f;
  byId("time-value").textContent = info.time === null ? "frame " + (f + 1) + " of " + meta.frames.length : "t = " + showNumber(info.time, 4);
  byId("summary").textContent = summaryOf(frame);
  await recolour();
  if (request === state.request && state.chosen >= 0) await choose(state.chosen);
}

async function play() {
  state.playing = !state.playing;
  byId("play").textContent = state.playing ? "❚❚" : "▶";
  byId("play").setAttribute("aria-label", state.playing ? "Pause" : "Play");
  while (state.playing) {
    const begun = performance.now();
    await show((state.number + 1) % meta.frames.length);
    await new Promise((done) => setTimeout(done, Math.max(0, 80 - (performance.now() - begun))));
  }
}

// ---- Mouse, touch, keys ------------------------------------------------------------------------------------------------

// From the middle of what is seen, in heights of the window, for zooming at the pointer; only 2D sets have no other middle.
function fromMiddle(x, y) {
  const wide = canvas.clientWidth, tall = canvas.clientHeight;
  return camera.flat ? [(x - (wide * (1 + camera.shift[0])) / 2) / tall, (y - (tall * (1 - camera.shift[1])) / 2) / tall] : [0, 0];
}

const pointers = new Map();
let moved = 0;
canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, event);
  if (pointers.size === 1) moved = 0;
});
canvas.addEventListener("pointermove", (event) => {
  const last = pointers.get(event.pointerId);
  if (!last) return;
  const dx = event.clientX - last.clientX, dy = event.clientY - last.clientY, tall = canvas.clientHeight;
  moved += Math.abs(dx) + Math.abs(dy);
  if (pointers.size === 2) {  // two fingers: nearer and farther zooms, together pans
    const other = [...pointers.values()].find((p) => p.pointerId !== event.pointerId);
    const apart = (p) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY);
    if (apart(last) > 0) camera.zoomBy(apart(event) / apart(last), ...fromMiddle((last.clientX + other.clientX) / 2, (last.clientY + other.clientY) / 2));
    camera.pan(dx / tall / 2, dy / tall / 2);
  } else if (camera.flat || event.shiftKey || event.ctrlKey || (event.buttons & 6)) {
    camera.pan(dx / tall, dy / tall);
  } else {
    camera.turn((3 * dx) / tall, (3 * dy) / tall);
  }
  pointers.set(event.pointerId, event);
});
canvas.addEventListener("pointerup", (event) => {
  const click = pointers.size === 1 && moved < 5 && event.button === 0;
  pointers.delete(event.pointerId);
  if (click && state.frame) choose(pick(event.clientX, event.clientY));
});
canvas.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
canvas.addEventListener("contextmenu", (event) => event.preventDefault());
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  camera.zoomBy(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.03 : 0.001)), ...fromMiddle(event.clientX, event.clientY));
}, { passive: false });

const step = 0.1;
const keys = {
  ArrowLeft: (pan) => (pan ? camera.pan(step, 0) : camera.turn(-step, 0)),
  ArrowRight: (pan) => (pan ? camera.pan(-step, 0) : camera.turn(step, 0)),
  ArrowUp: (pan) => (pan ? camera.pan(0, step) : camera.turn(0, step)),
  ArrowDown: (pan) => (pan ? camera.pan(0, -step) : camera.turn(0, -step)),
  "+": () => camera.zoomBy(1.2), "=": () => camera.zoomBy(1.2), "-": () => camera.zoomBy(1 / 1.2),
  " ": () => meta.frames.length > 1 && play(),
  ",": () => show(Math.max(state.number - 1, 0)), ".": () => show(Math.min(state.number + 1, meta.frames.length - 1)),
  r: () => byId("reset").click(), s: () => byId("shot").click(), d: () => byId("theme").click(), m: () => byId("menu").click(),
  Escape: () => choose(-1),
};
window.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select, button") || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key](event.shiftKey || camera.flat);
});

// ---- Settings ----------------------------------------------------------------------------------------------------------

function setTheme(dark) {
  root.dataset.theme = dark ? "dark" : "light";
  theme = colours();
  state.dirty = true;
}

function addOptions(select, names, chosen) {
  for (const [value, text] of names) select.add(new Option(text, value, false, value === chosen));
}

async function begin() {
  const begun = performance.now();
  byId("title").textContent = document.title = meta.title;
  setTheme(meta.background === "dark" || (meta.background === "auto" && matchMedia("(prefers-color-scheme: dark)").matches));
  byId("panel").hidden = matchMedia("(max-width: 640px)").matches;
  byId("menu").setAttribute("aria-expanded", String(!byId("panel").hidden));
  const few = meta.frames.every((frame) => frame.count < 2e5);  // of very many, smooth edges cost more than they show
  gl = canvas.getContext("webgl2", { antialias: few, alpha: false, powerPreference: "high-performance" });
  if (!gl) return give("This page needs WebGL2, which this browser does not support or has disabled. Try another or a newer browser.");
  if (typeof DecompressionStream === "undefined") return give("This page needs a newer browser: this one has no DecompressionStream.");
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LEQUAL);
  canvas.addEventListener("webglcontextlost", () => say("The connection to the graphics card was lost; reload the page."));
  camera = new Camera(scene.half, scene.size, meta.dim === 2);
  const polygons = meta.frames.some((frame) => frame.shapes), periodic = meta.frames.some((frame) => frame.periodic.includes(true));
  const images = meta.dim === 2 && periodic;
  bodies = polygons || images ? new PolygonLayer(gl) : new SphereLayer(gl, meta.dim === 2);
  box = new LineLayer(gl);
  walls = new WallLayer(gl);
  const forces = meta.frames.some((frame) => frame.rods), shrinks = forces && bodies instanceof SphereLayer && meta.dim === 3;
  if (forces) {
    rods = new RodLayer(gl, meta.dim === 2);
    rods.setPalette(paletteOf("ember"));
    byId("forces-value").textContent = showNumber(rodMost, 3);
  }
  if (meta.frames.some((frame) => frame.triangles)) {
    surfaces = new WallLayer(gl);
    surfaces.hidden = false;
  }
  layers = [box, bodies, ...(rods ? [rods] : []), ...(surfaces ? [surfaces] : []), walls];
  const applyShrink = () => {
    const percent = byId("forces").checked && shrinks ? Number(byId("shrink").value) : 100;
    if (shrinks) bodies.shrink = percent / 100;
    bodies.faint = forces && meta.dim === 2 && byId("forces").checked ? 0.75 : 0;  // rods lie above them
    byId("shrink-value").textContent = percent + " %";
    byId("shrink").disabled = !byId("forces").checked;
    if (rods) rods.hidden = !byId("forces").checked;
    state.dirty = true;
  };
  applyShrink();

  const all = quantities();
  all.forEach((quantity, k) => byId("colour").add(new Option(quantity.label, k)));
  const wanted = Math.max(0, all.findIndex((quantity) => quantity.label === meta.colour_by));
  const setQuantity = (k) => {
    state.quantity = all[k];
    byId("colour").value = k;
    byId("log").disabled = !canBeLog(all[k]);
    byId("log").checked = ["radius", "area"].includes(all[k].name) && all[k].low > 0 && all[k].high / all[k].low >= 20;
  };
  setQuantity(wanted);
  addOptions(byId("map"), Object.keys(meta.maps).map((name) => [name, name]), meta.map);
  addOptions(byId("cut-axis"), [..."xyz"].slice(0, meta.dim).map((name, k) => [String(k), name]), "-1");
  Object.assign(sizes, all.find((quantity) => quantity.name === "radius"));
  byId("smallest").disabled = byId("largest").disabled = !(sizes.high > sizes.low);
  byId("perspective").checked = camera.perspective;
  for (const [id, wanted] of [["perspective", !camera.flat], ["images", images], ["walls", meta.dim === 3], ["forces", forces], ["shrink", shrinks], ["fixed", polygons && all.some((q) => q.name === "fixed" && q.high > 0)]])
    byId(id).parentElement.hidden = !wanted;
  byId("precision").textContent = "Positions are rounded to 24 bits of the range of the centres (3e-8 of it), radii and " +
    "other numbers to 24 bits. " + (polygons ? "Vertices of polygons are accurate to 1e-6 of the scene's size. " : "") +
    "Partners are nearer than " + showNumber(meta.frames[0].gap, 3) + (polygons ? ", or overlap." : ".");
  if (meta.frames.length > 1) {
    byId("time").hidden = false;
    byId("frame").max = meta.frames.length - 1;
  }

  byId("colour").addEventListener("change", (event) => { setQuantity(Number(event.target.value)); recolour(); });
  byId("map").addEventListener("change", recolour);
  byId("log").addEventListener("change", recolour);
  for (const id of ["smallest", "largest"]) byId(id).addEventListener("input", applySizes);
  byId("cut-axis").addEventListener("input", (event) => {  // the side that faces the eye goes
    const axis = Number(event.target.value);
    if (axis >= 0) byId("cut-flip").checked = camera.axes()[2][axis] < 0;
    applyCut();
  });
  for (const id of ["cut", "cut-flip"]) byId(id).addEventListener("input", applyCut);
  byId("box").addEventListener("change", (event) => { box.hidden = !event.target.checked; state.dirty = true; });
  byId("walls").addEventListener("change", (event) => { walls.hidden = !event.target.checked; state.dirty = true; });
  byId("forces").addEventListener("change", applyShrink);
  byId("shrink").addEventListener("input", applyShrink);
  byId("perspective").addEventListener("change", (event) => { camera.perspective = event.target.checked; state.dirty = true; });
  byId("fixed").addEventListener("change", (event) => { bodies.withFixed = event.target.checked; state.dirty = true; });
  byId("images").addEventListener("change", (event) => {
    bodies.withImages = event.target.checked;
    bodies.setFrame(state.frame);
    state.dirty = true;
  });
  byId("reset").addEventListener("click", () => camera.reset());
  byId("theme").addEventListener("click", () => setTheme(root.dataset.theme !== "dark"));
  byId("menu").addEventListener("click", () => {
    byId("panel").hidden = !byId("panel").hidden;
    byId("menu").setAttribute("aria-expanded", String(!byId("panel").hidden));
    makeRoom();
  });
  byId("info-close").addEventListener("click", () => choose(-1));
  byId("frame").addEventListener("input", (event) => show(Number(event.target.value)));
  byId("play").addEventListener("click", play);
  byId("shot").addEventListener("click", () => {
    draw();  // the picture is there until the browser shows it
    canvas.toBlob((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = "scree.png";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  });
  new ResizeObserver(() => { state.dirty = true; makeRoom(); }).observe(canvas);

  applySizes();
  applyCut();
  resize();
  if (meta.frames.length > 0) await show(0);
  makeRoom();  // now that the legend has its text
  say(meta.frames.length === 0 || state.frame.count === 0 ? "There is nothing to show." : "");
  stats.loadMilliseconds = performance.now() - begun;
  requestAnimationFrame(tick);
}

// For tests, and for callers that embed the page: window.scree.ready resolves when the first frame is there.
window.scree = {
  meta, scene, stats, state, pick, show, choose, draw,
  get camera() { return camera; },
  // Where sphere i is on the canvas, in CSS pixels: [x, y, radius].
  project(i) {
    const { place, radius } = state.frame;
    const [x, y, unit] = camera.project([...place.subarray(3 * i, 3 * i + 3)], canvas.clientWidth, canvas.clientHeight);
    return [x, y, radius[i] * unit];
  },
  // Which sphere is seen, at every step-th pixel of the canvas from below; row by row.
  seen(step) {
    const all = numbersIn(0, 0, canvas.width, canvas.height), out = [];
    for (let y = 0; y < canvas.height; y += step) for (let x = 0; x < canvas.width; x += step) out.push(all[y * canvas.width + x] - 1);
    return out;
  },
  // Milliseconds until the card has drawn a whole frame.
  measure() {
    const begun = performance.now();
    draw();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    return performance.now() - begun;
  },
};
window.scree.ready = begin().catch((error) => { give("Failed to show this page: " + error.message); throw error; });
