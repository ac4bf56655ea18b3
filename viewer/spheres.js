// The layer of spheres: each is a square that faces the eye, and every pixel of it meets its sphere by a ray, so that spheres are
// round at any zoom and cross each other as they should (the depth written is that of the point met). One call draws them all; turning
// costs no work per sphere in JavaScript. A cut plane leaves flat faces. In 2D the squares show discs.
const sphereVertex = `
precision highp float;
layout(location = 0) in vec3 place;
layout(location = 1) in float radius;
layout(location = 2) in float tone;   // 0..1 on the colour map; below 0: unknown
layout(location = 3) in float mark;   // 0 none, 1 partner of the chosen sphere, 2 the chosen one
uniform mat4 view, projection;
uniform bool perspective;
uniform vec2 shown;                   // radii from .. to
out vec3 fromMiddle, ray;
flat out vec3 middle;
flat out float size, shade, marked;
flat out int number;
void main() {
  middle = (view * vec4(place, 1.0)).xyz;
  size = radius; shade = tone; marked = mark; number = gl_InstanceID;
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
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
    this.array = gl.createVertexArray();
    this.buffers = [0, 1, 2, 3].map(() => gl.createBuffer());
    gl.bindVertexArray(this.array);
    [[3, gl.FLOAT], [1, gl.FLOAT], [1, gl.FLOAT], [1, gl.UNSIGNED_BYTE]].forEach(([n, kind], k) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[k]);
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, n, kind, false, 0, 0);
      gl.vertexAttribDivisor(k, 1);
    });
    gl.bindVertexArray(null);
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  }

  fill(k, data) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[k]);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
  }

  setFrame(frame) {
    this.count = frame.count;
    this.fill(0, frame.place);
    this.fill(1, frame.radius);
  }
  setTones(tones) { this.fill(2, tones); }
  setMarks(marks, choosing) { this.fill(3, marks); this.choosing = choosing; }
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
    if (!pick) {
      gl.uniform1i(at.choosing, this.choosing);
      gl.uniform3fv(at.paper, colours.paper);
      gl.uniform3fv(at.accent, colours.accent);
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, this.texture);
      gl.uniform1i(at.palette, 0);
      gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE);
    }
    gl.bindVertexArray(this.array);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.count);
    gl.bindVertexArray(null);
    gl.disable(gl.SAMPLE_ALPHA_TO_COVERAGE);
  }
}
