// The layer of polygons, and of discs among them. As with spheres, each body is a rectangle, here one that turns with it, and every pixel of it asks whether it is
// inside, by the even-odd rule: it counts the edges to its right. So polygons need no triangles and may have any shape, what is clicked is what is
// inside, and the distance to the nearest edge, found on the way, gives smooth edges and an outline of even width at any zoom.
//
//   pieces    Every pixel looks at all edges of its rectangle, so bodies of many corners are cut into up to 64 strips with the edges that
//             reach into each, or into the strips beside it (for the outline). Shapes do not change with time: this is done once.
//   items     A piece of a body at its place, or of a periodic image that reaches into the box. These are rewritten for every frame.
//
// Later items lie over earlier ones: fixed bodies come first.
const polygonVertex = `
precision highp float;
precision highp sampler2D;
uniform sampler2D poses;              // of an item: x, y, cosine and sine of its angle
uniform sampler2D items;              // body, piece, radius, 1 if fixed
uniform sampler2D pieces;             // two texels: the rectangle; first edge, how many (0: a disc), which ends are the body's (1 lower, 2 upper), its small side
uniform sampler2D tones, marks;       // as of spheres
uniform mat4 view, projection;
uniform vec2 shown;
uniform float pixel;                  // its length in the scene
uniform bool withFixed;
out vec2 local;
out vec3 seen;
flat out ivec2 edge;
flat out float radius, small, shade, marked, standing;
flat out int number;
vec4 get(sampler2D from, int n) { int width = textureSize(from, 0).x; return texelFetch(from, ivec2(n % width, n / width), 0); }
void main() {
  int item = gl_VertexID / 6, c = gl_VertexID - 6 * item;
  vec4 pose = get(poses, item), what = get(items, item);
  int piece = int(what.y);
  vec4 rect = get(pieces, 2 * piece), list = get(pieces, 2 * piece + 1);
  number = int(what.x);
  edge = ivec2(list.xy);
  radius = rect.z; small = list.w; standing = what.w;
  shade = get(tones, number).r; marked = 255.0 * get(marks, number).r;
  int ends = int(list.z);
  bool right = c == 1 || c == 3 || c == 4, top = c == 2 || c == 4 || c == 5;
  local = vec2(right ? rect.z + pixel : rect.x - pixel,
               top ? rect.w + ((ends & 2) != 0 ? pixel : 0.0) : rect.y - ((ends & 1) != 0 ? pixel : 0.0));
  vec2 place = pose.xy + vec2(pose.z * local.x - pose.w * local.y, pose.w * local.x + pose.z * local.y);
  vec4 eye = view * vec4(place, 0.0, 1.0);
  seen = eye.xyz;
  bool hidden = standing > 0.5 ? !withFixed : what.z < shown.x || what.z > shown.y;
  gl_Position = hidden ? vec4(2, 2, 2, 1) : projection * eye;
}`;

const polygonFragment = `
precision highp float;
precision highp sampler2D;
in vec2 local;
in vec3 seen;
flat in ivec2 edge;
flat in float radius, small, shade, marked, standing;
flat in int number;
uniform sampler2D edges;              // x, y of both ends
uniform sampler2D palette;
uniform float pixel;
uniform bool choosing, greyFixed;
uniform float faint;                  // how far colours are mixed with the background
uniform vec4 cut;
uniform vec3 paper, accent;
out vec4 colour;
void main() {
  float depth = radius - length(local);             // how far inside; below 0: outside
  if (edge.y > 0) {
    bool inside = false;
    float near = 1e30;
    int width = textureSize(edges, 0).x;
    for (int n = edge.x; n < edge.x + edge.y; ++n) {
      vec4 e = texelFetch(edges, ivec2(n % width, n / width), 0);
      vec2 d = e.zw - e.xy, p = local - e.xy;
      if ((e.y > local.y) != (e.w > local.y) && p.x < p.y * d.x / d.y) inside = !inside;
      vec2 q = p - clamp(dot(p, d) / max(dot(d, d), 1e-30), 0.0, 1.0) * d;
      near = min(near, dot(q, q));
    }
    depth = inside ? sqrt(near) : -sqrt(near);
  }
  float cover = clamp(depth / pixel + 0.5, 0.0, 1.0);
#ifdef SMOOTH
  if (cover <= 0.0) discard;
#else
  if (cover < 0.5) discard;
#endif
  if (cut.xyz != vec3(0) && dot(cut.xyz, seen) > cut.w) discard;
#ifdef PICK
  int n = number + 1;
  colour = vec4(n & 255, (n >> 8) & 255, (n >> 16) & 255, n >> 24) / 255.0;
#else
  vec3 base = texelFetch(palette, ivec2(shade < 0.0 ? 256 : int(shade * 255.0 + 0.5), 0), 0).rgb;
  if (standing > 0.5 && greyFixed) base = vec3(paper.r < 0.5 ? 104 : 168) / 255.0;
  if (marked > 1.5) base = accent;
  float line = min(marked > 0.5 ? 2.5 * pixel : 1.5 * pixel, 0.06 * small);  // of small bodies the outline must not be all
  vec3 rim = marked > 0.5 && marked < 1.5 ? accent : paper.r < 0.5 ? mix(base, vec3(1), 0.3) : 0.55 * base;
  if (small > 6.0 * pixel) base = mix(base, rim, clamp((line - depth) / pixel + 0.5, 0.0, 1.0));
  base = mix(base, paper, choosing && marked < 0.5 ? max(faint, 0.8) : faint);
  colour = vec4(base, cover);
#endif
}`;

// Cuts the polygon of these corners (x, y, ...) into strips: adds to pieces (8 numbers each) and edges (4 each). Returns how many strips.
function addPieces(corners, pieces, edges) {
  const n = corners.length / 2, low = [Infinity, Infinity], high = [-Infinity, -Infinity];
  for (let v = 0; v < corners.length; ++v) {
    low[v % 2] = Math.min(low[v % 2], corners[v]);
    high[v % 2] = Math.max(high[v % 2], corners[v]);
  }
  const strips = n > 32 && high[1] > low[1] ? Math.min(64, Math.ceil(n / 8)) : 1, tall = (high[1] - low[1]) / strips;
  const small = Math.min(high[0] - low[0], high[1] - low[1]);
  for (let s = 0; s < strips; ++s) {
    const bottom = low[1] + s * tall, top = s + 1 === strips ? high[1] : low[1] + (s + 1) * tall, first = edges.length / 4;
    for (let v = 0; v < n; ++v) {
      const w = v + 1 < n ? v + 1 : 0, y0 = corners[2 * v + 1], y1 = corners[2 * w + 1];
      if (strips === 1 || (Math.max(y0, y1) >= bottom - tall && Math.min(y0, y1) <= top + tall)) edges.push(corners[2 * v], y0, corners[2 * w], y1);
    }
    pieces.push(low[0], bottom, high[0], top, first, edges.length / 4 - first, (s === 0 ? 1 : 0) + (s + 1 === strips ? 2 : 0), small);
  }
  return strips;
}

class PolygonLayer extends BodyLayer {
  constructor(gl) {
    super(gl, polygonVertex, polygonFragment, ["poses", "items", "pieces", "edges"]);
    this.shapes = null;  // those that pieces and edges were made from
    this.withFixed = this.withImages = this.greyFixed = true;
  }

  setShapes(frame) {
    const pieces = [], edges = [], { corners, corner } = frame.outlines;
    this.firstPiece = new Int32Array(frame.count + 1);
    for (let i = 0, at = 0; i < frame.count; at += 2 * corners[i++]) {
      const r = frame.radius[i];
      if (corners[i] === 0) pieces.push(-r, -r, r, r, 0, 0, 3, 2 * r);
      else addPieces(corner.subarray(at, at + 2 * corners[i]), pieces, edges);
      this.firstPiece[i + 1] = pieces.length / 8;
    }
    this.fill4("pieces", new Float32Array(pieces), pieces.length / 4);
    this.fill4("edges", new Float32Array(edges), edges.length / 4);
    this.shapes = frame.outlines.shapes;
  }

  setFrame(frame) {
    this.frame = frame;
    this.bodies = frame.count;
    if (this.shapes !== frame.outlines.shapes) this.setShapes(frame);
    const poses = [], items = [], { fixed, turn, reach } = frame.outlines, { place, radius } = frame;
    for (const pass of [1, 0])
      for (let i = 0; i < frame.count; ++i) {
        if (fixed[i] !== pass) continue;
        const c = Math.cos(turn[i]), s = Math.sin(turn[i]);
        for (const [x, y] of this.imagesOf(frame.box, place[3 * i], place[3 * i + 1], reach[i]))
          for (let piece = this.firstPiece[i]; piece < this.firstPiece[i + 1]; ++piece) {
            poses.push(x, y, c, s);
            items.push(i, piece, radius[i], pass);
          }
      }
    this.squares = items.length / 4;
    this.fill4("poses", new Float32Array(poses), this.squares);
    this.fill4("items", new Float32Array(items), this.squares);
  }

  // Where a body that reaches so far is to be drawn: at its place, along periodic axes wherever it can reach into the box.
  imagesOf(box, x, y, reach) {
    const along = (home, k) => {  // places, and how many sides they are away
      if (!box.periodic[k] || !this.withImages) return [[home, 0]];
      const low = toScene(box.box_lower[k], k), high = toScene(box.box_upper[k], k), side = high - low, out = [];
      for (let n = Math.ceil((low - reach - home) / side); n <= Math.floor((high + reach - home) / side); ++n) out.push([home + n * side, n]);
      return out;
    };
    const tilt = box.tilt ? box.tilt[0] / scene.size : 0;
    return along(y, 1).flatMap(([b, n]) => along(x + n * tilt, 0).map(([a]) => [a, b]));
  }

  setUniforms(at, camera) {
    this.gl.uniform1f(at.pixel, (2 * camera.halfHeight) / canvas.height);
    this.gl.uniform1i(at.withFixed, this.withFixed);
    this.gl.uniform1i(at.greyFixed, this.greyFixed);
  }
}
