// The layer of rods: force chains. Each is a strip that faces the eye and is lit as the half of a cylinder; the depth written is that of its surface. Diameters go as
// the square root of the value, relative to the largest value of all frames. In 2D rods lie above the bodies.
const rodVertex = `
precision highp float;
precision highp sampler2D;
uniform sampler2D rods;               // two texels each: x, y, z of an end, then the radius, or the place on the colour map
uniform mat4 view, projection;
uniform bool perspective;
out vec3 place;
out float across;
flat out vec3 side, front;
flat out float size, shade;
vec4 texel(int n) { int width = textureSize(rods, 0).x; return texelFetch(rods, ivec2(n % width, n / width), 0); }
void main() {
  int number = gl_VertexID / 6, c = gl_VertexID - 6 * number;
  vec4 a = texel(2 * number), b = texel(2 * number + 1);
  vec3 p = (view * vec4(a.xyz, 1.0)).xyz, q = (view * vec4(b.xyz, 1.0)).xyz;
  vec3 look = perspective ? normalize(p + q) : vec3(0, 0, -1);
  side = cross(q - p, look);
  side = length(side) > 1e-9 ? normalize(side) : vec3(1, 0, 0);
  front = length(q - p) > 1e-9 ? normalize(cross(q - p, side)) : -look;
  size = a.w; shade = b.w;
  across = c == 1 || c == 3 || c == 4 ? 1.0 : -1.0;
  place = (c == 2 || c == 4 || c == 5 ? q : p) + across * size * side;
  gl_Position = projection * vec4(place, 1.0);
}`;

const rodFragment = `
precision highp float;
in vec3 place;
in float across;
flat in vec3 side, front;
flat in float size, shade;
uniform mat4 projection;
uniform bool discs;
uniform vec4 cut;
uniform vec3 light;
uniform sampler2D palette;
out vec4 colour;
void main() {
  float height = sqrt(max(1.0 - across * across, 0.0));
  vec3 hit = place + height * size * front;
  if (cut.xyz != vec3(0) && dot(cut.xyz, hit) > cut.w) discard;
  vec4 clip = projection * vec4(hit, 1.0);
  gl_FragDepth = discs ? 0.0 : clamp(0.5 * clip.z / clip.w + 0.5, 0.0, 1.0);
  vec3 base = texelFetch(palette, ivec2(int(shade * 255.0 + 0.5), 0), 0).rgb;
  float lit = discs ? (abs(across) > 0.8 ? 0.6 : 1.0) : 0.45 + 0.55 * max(dot(across * side + height * front, light), 0.0);
  colour = vec4(base * lit, 1.0);
}`;

// The largest value in size over all frames.
const rodMost = Math.max(0, ...meta.frames.flatMap((frame) => (frame.rods || []).filter((array) => array.name === "value" && array.low <= array.high)
  .map((array) => Math.max(Math.abs(array.low), Math.abs(array.high)))));

class RodLayer extends BodyLayer {
  constructor(gl, discs) {
    super(gl, rodVertex, rodFragment, ["rods"]);
    this.discs = discs;
  }

  async setFrame(frame) {
    const rods = await loadRods(frame.number), data = new Float32Array(8 * rods.count);
    for (let n = 0; n < rods.count; ++n) {
      const share = rodMost > 0 ? Math.abs(rods.value[n]) / rodMost : 1;
      data.set([...rods.ends.subarray(6 * n, 6 * n + 3), 0.5 * rods.width * Math.sqrt(share), ...rods.ends.subarray(6 * n + 3, 6 * n + 6), share], 8 * n);
    }
    this.bodies = this.squares = rods.count;
    this.fill4("rods", data, 2 * rods.count);
  }

  setUniforms(at, camera) {
    this.gl.uniform1i(at.perspective, camera.perspective);
    this.gl.uniform1i(at.discs, this.discs);
    this.gl.uniform3fv(at.light, LIGHT);
  }
}

// Ends in units of scene.size around its middle.
async function loadRods(f) {
  const frame = meta.frames[f], count = frame.rod_count || 0, ends = new Float32Array(6 * count), find = (name) => frame.rods.find((array) => array.name === name);
  for (let k = 0; k < 6 && count > 0; ++k) {
    const array = find((k < 3 ? "from_" : "to_") + "xyz"[k % 3]);
    if (!array) continue;  // 2D
    const steps = await fetchArray(array, count), from = (array.low - scene.middle[k % 3]) / scene.size, width = (array.high - array.low) / scene.size;
    for (let n = 0; n < count; ++n) ends[6 * n + k] = from + width * steps[n];
  }
  const values = count > 0 ? find("value") : null, stored = values ? await fetchArray(values, count) : [];
  return { count, ends, value: Float64Array.from(stored, (value) => value * 2 ** values.exponent), width: (frame.rod_width || 0) / scene.size };
}
