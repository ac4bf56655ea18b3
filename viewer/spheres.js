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
out vec3 fromMiddle, ray;
flat out vec3 middle;
flat out float size, shade, marked;
flat out int number;
void main() {
  number = gl_VertexID / 6;           // two triangles each
  int width = textureSize(spheres, 0).x, c = gl_VertexID - 6 * number;
  ivec2 texel = ivec2(number % width, number / width);
  vec4 sphere = texelFetch(spheres, texel, 0);
  float radius = sphere.w;
  middle = (view * vec4(sphere.xyz, 1.0)).xyz;
  size = radius; shade = texelFetch(tones, texel, 0).r; marked = 255.0 * texelFetch(marks, texel, 0).r;
  vec2 corner = vec2(c == 1 || c == 3 || c == 4 ? 1 : -1, c == 2 || c == 4 || c == 5 ? 1 : -1);
  vec3 u = vec3(1, 0, 0), v = vec3(0, 1, 0);
  float reach = radius, away = dot(middle, middle);
  bool hidden = radius < shown.x || radius > shown.y;
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
  if (choosing && marked < 0.5) base = mix(base, paper, 0.8);
  colour = vec4(base, cover);                       // alpha becomes the share of the pixel's samples
#endif
}`;

// Where the light comes from, in the eye's frame (right, up, towards the eye); of length 1.
const LIGHT = [-0.4, 0.5, Math.sqrt(1 - 0.41)];

class SphereLayer {
  constructor(gl, discs) {
    this.gl = gl;
    this.discs = discs;
    this.drawn = makeProgram(gl, sphereVertex, sphereFragment, gl.getParameter(gl.SAMPLES) > 1 ? "#define SMOOTH\n" : "");
    this.picked = makeProgram(gl, sphereVertex, sphereFragment, "#define PICK\n");
    this.count = 0;
    this.shown = [0, Infinity];
    this.cut = null;  // { axis, at, sign } in scene units
    this.choosing = false;
    this.array = gl.createVertexArray();  // empty: the vertices fetch their sphere from textures, as instances of four vertices are slow on some cards
    this.textures = [0, 1, 2].map(() => this.makeTexture());
    this.texture = this.makeTexture();
  }

  makeTexture() {
    const gl = this.gl, texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    return texture;
  }

  // Texture k: one texel of `per` numbers for each sphere; the rows are as wide as the square root, so that millions fit.
  fill(k, data, per, inner, format, type) {
    const gl = this.gl, width = Math.max(1, Math.ceil(Math.sqrt(this.count))), height = Math.max(1, Math.ceil(this.count / width));
    const whole = new data.constructor(width * height * per);
    whole.set(data);
    gl.bindTexture(gl.TEXTURE_2D, this.textures[k]);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, height, 0, format, type, whole);
  }

  setFrame(frame) {
    const gl = this.gl, { count, place, radius } = frame, data = new Float32Array(4 * count);
    for (let i = 0; i < count; ++i) {
      data[4 * i] = place[3 * i];
      data[4 * i + 1] = place[3 * i + 1];
      data[4 * i + 2] = place[3 * i + 2];
      data[4 * i + 3] = radius[i];
    }
    this.count = count;
    this.fill(0, data, 4, gl.RGBA32F, gl.RGBA, gl.FLOAT);
  }
  setTones(tones) { this.fill(1, tones, 1, this.gl.R32F, this.gl.RED, this.gl.FLOAT); }
  setMarks(marks, choosing) {
    this.fill(2, marks, 1, this.gl.R8, this.gl.RED, this.gl.UNSIGNED_BYTE);
    this.choosing = choosing;
  }
  setPalette(rgb) {  // 257 colours, 3 bytes each; the last one is for unknown values
    const gl = this.gl, rgba = new Uint8Array(257 * 4).fill(255);
    for (let n = 0; n < 257; ++n) rgba.set(rgb.subarray(3 * n, 3 * n + 3), 4 * n);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 257, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
  }

  draw(camera, colours, pick = false) {
    if (this.count === 0) return;
    const gl = this.gl, { program, at } = pick ? this.picked : this.drawn, { view, projection } = camera.matrices();
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.view, false, view);
    gl.uniformMatrix4fv(at.projection, false, projection);
    gl.uniform1i(at.perspective, camera.perspective);
    gl.uniform1i(at.discs, this.discs);
    gl.uniform2f(at.shown, this.shown[0], Math.min(this.shown[1], 3e38));
    const cut = [0, 0, 0, 0];
    if (this.cut) {
      for (let k = 0; k < 3; ++k) cut[k] = this.cut.sign * view[4 * this.cut.axis + k];
      cut[3] = this.cut.sign * this.cut.at + cut[0] * view[12] + cut[1] * view[13] + cut[2] * view[14];
    }
    gl.uniform4fv(at.cut, cut);
    if (at.light) gl.uniform3fv(at.light, LIGHT);
    [...this.textures, this.texture].forEach((texture, k) => {
      gl.activeTexture(gl.TEXTURE0 + k);
      gl.bindTexture(gl.TEXTURE_2D, texture);
    });
    ["spheres", "tones", "marks", "palette"].forEach((name, k) => at[name] && gl.uniform1i(at[name], k));
    gl.activeTexture(gl.TEXTURE0);
    if (!pick) {
      gl.uniform1i(at.choosing, this.choosing);
      gl.uniform3fv(at.paper, colours.paper);
      gl.uniform3fv(at.accent, colours.accent);
      gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE);
    }
    gl.bindVertexArray(this.array);
    gl.drawArrays(gl.TRIANGLES, 0, 6 * this.count);
    gl.bindVertexArray(null);
    gl.disable(gl.SAMPLE_ALPHA_TO_COVERAGE);
  }
}
