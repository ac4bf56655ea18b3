// The layer of spheres: each is a square that faces the eye, and every pixel of it meets its sphere by a ray, so that spheres are
// round at any zoom and cross each other as they should (the depth written is that of the point met). One call draws them all; turning
// costs no work per sphere in JavaScript. A cut plane leaves flat faces. In 2D the squares show discs.
const sphereVertex = `
precision highp float;
precision highp sampler2D;
uniform sampler2D spheres;            // x, y, z, radius of one in each texel, row by row
uniform sampler2D tones;              // 0..1 on the colour map; below 0: unknown
uniform sampler2D marks;              // 0 none, 1/255 partner of the chosen sphere, 2/255 the chosen one
uniform mat4 view, projection;
uniform bool perspective;
uniform vec2 shown;                   // radii from .. to
uniform float shrink;                 // what spheres are drawn with: smaller than they are, rods are seen between them
out vec3 fromMiddle, ray;
flat out vec3 middle;
flat out float size, shade, marked;
flat out int number;
void main() {
  number = gl_VertexID / 6;           // two triangles each
  int width = textureSize(spheres, 0).x, c = gl_VertexID - 6 * number;
  ivec2 texel = ivec2(number % width, number / width);
  vec4 sphere = texelFetch(spheres, texel, 0);
  float radius = shrink * sphere.w;
  middle = (view * vec4(sphere.xyz, 1.0)).xyz;
  size = radius; shade = texelFetch(tones, texel, 0).r; marked = 255.0 * texelFetch(marks, texel, 0).r;
  vec2 corner = vec2(c == 1 || c == 3 || c == 4 ? 1 : -1, c == 2 || c == 4 || c == 5 ? 1 : -1);
  vec3 u = vec3(1, 0, 0), v = vec3(0, 1, 0);
  float reach = radius, away = dot(middle, middle);
  bool hidden = sphere.w < shown.x || sphere.w > shown.y;
  if (perspective) {
    hidden = hidden || away <= 1.0001 * radius * radius || middle.z > 0.0;
    vec3 w = normalize(middle);
    u = normalize(cross(w, vec3(0, 1, 0)));
    v = cross(u, w);
    reach = radius * sqrt(away / (away - radius * radius));
  }
  fromMiddle = reach * (corner.x * u + corner.y * v);
  ray = middle + fromMiddle;
  gl_Position = hidden ? vec4(2, 2, 2, 1) : projection * vec4(ray, 1.0);
}`;

const sphereFragment = `
precision highp float;
in vec3 fromMiddle, ray;
flat in vec3 middle;
flat in float size, shade, marked;
flat in int number;
uniform mat4 projection;
uniform bool perspective, discs, choosing;
uniform float faint;                  // how far colours are mixed with the background
uniform vec4 cut;                     // in the eye's frame: what has dot(cut.xyz, p) > cut.w is taken away; 0: no cut
uniform vec3 light, paper, accent;
uniform sampler2D palette;
out vec4 colour;
void main() {
  vec3 d = perspective ? normalize(ray) : vec3(0, 0, -1);
  float b = dot(fromMiddle, d);
  float off = length(fromMiddle - b * d);           // of the ray from the middle
  float pixel = max(fwidth(off), 1e-20);
  float cover = clamp((size - off) / pixel + 0.5, 0.0, 1.0);
#ifdef SMOOTH
  if (cover <= 0.0) discard;
#else
  if (cover < 0.5) discard;
#endif
  float s = sqrt(max(size * size - off * off, 0.0));
  float t = -b - s;
  vec3 hit = fromMiddle + t * d;
  vec3 normal = hit / size;
  if (discs) { hit = fromMiddle; normal = light; }
  if (cut.xyz != vec3(0)) {
    float beyond = dot(cut.xyz, middle + hit) - cut.w, along = dot(cut.xyz, d);
    if (beyond > 0.0) {
      float deeper = -beyond / along;
      if (discs || along >= 0.0 || deeper > 2.0 * s) discard;
      hit += deeper * d;
      normal = cut.xyz;
    }
  }
  vec4 clip = projection * vec4(middle + hit, 1.0);
  gl_FragDepth = clamp(0.5 * clip.z / clip.w + 0.5, 0.0, 1.0);
#ifdef PICK
  int n = number + 1;
  colour = vec4(n & 255, (n >> 8) & 255, (n >> 16) & 255, n >> 24) / 255.0;
#else
  vec3 base = texelFetch(palette, ivec2(shade < 0.0 ? 256 : int(shade * 255.0 + 0.5), 0), 0).rgb;
  if (marked > 1.5) base = accent;
  float lit = 0.38 + 0.62 * max(dot(normal, light), 0.0);
  if (discs) lit = off > size - 1.5 * pixel && size > 4.0 * pixel ? 0.6 : 1.0;
  base *= lit;
  base = mix(base, paper, choosing && marked < 0.5 ? max(faint, 0.8) : faint);
  colour = vec4(base, cover);                       // alpha becomes the share of the pixel's samples
#endif
}`;

// Where the light comes from, in the eye's frame (right, up, towards the eye); of length 1.
const LIGHT = [-0.4, 0.5, Math.sqrt(1 - 0.41)];

class SphereLayer extends BodyLayer {
  constructor(gl, discs) {
    super(gl, sphereVertex, sphereFragment, ["spheres"]);
    this.discs = discs;
    this.shrink = 1;
  }

  setFrame(frame) {
    const { count, place, radius } = frame, data = new Float32Array(4 * count);
    for (let i = 0; i < count; ++i) {
      data[4 * i] = place[3 * i];
      data[4 * i + 1] = place[3 * i + 1];
      data[4 * i + 2] = place[3 * i + 2];
      data[4 * i + 3] = radius[i];
    }
    this.bodies = this.squares = count;
    this.fill4("spheres", data, count);
  }

  setUniforms(at, camera) {
    this.gl.uniform1i(at.perspective, camera.perspective);
    this.gl.uniform1i(at.discs, this.discs);
    this.gl.uniform1f(at.shrink, this.shrink);
    this.gl.uniform3fv(at.light, LIGHT);
  }
}
