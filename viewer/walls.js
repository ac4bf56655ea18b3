// The layer of walls: the faces of the box that are not periodic, or the round wall of a container with its ends, translucent. Drawn last, without writing depth, each by
// the angle that it is seen at.
function wallTriangles(lower, upper, periodic, container) {
  const out = [], around = 96, rings = 48;
  const four = (a, b, c, d) => out.push(...a, ...b, ...c, ...a, ...c, ...d);
  const mid = [0, 1, 2].map((k) => (lower[k] + upper[k]) / 2), half = [0, 1, 2].map((k) => (upper[k] - lower[k]) / 2);
  const onCircle = (n, share, z) => [mid[0] + share * half[0] * Math.cos((2 * Math.PI * n) / around), mid[1] + share * half[1] * Math.sin((2 * Math.PI * n) / around), z];
  const onSphere = (n, ring) => {
    const s = Math.sin((Math.PI * ring) / rings), p = onCircle(n, s, 0);
    return [p[0], p[1], mid[2] - half[2] * Math.cos((Math.PI * ring) / rings)];
  };
  for (let n = 0; n < around && container === "cylinder"; ++n) {
    four(onCircle(n, 1, lower[2]), onCircle(n + 1, 1, lower[2]), onCircle(n + 1, 1, upper[2]), onCircle(n, 1, upper[2]));
    if (!periodic[2]) for (const z of [lower[2], upper[2]]) out.push(...onCircle(n, 0, z), ...onCircle(n, 1, z), ...onCircle(n + 1, 1, z));
  }
  for (let n = 0; n < around && container === "sphere"; ++n)
    for (let ring = 0; ring < rings; ++ring) four(onSphere(n, ring), onSphere(n + 1, ring), onSphere(n + 1, ring + 1), onSphere(n, ring + 1));
  for (let face = 0; face < 6 && container === undefined; ++face) {
    const k = face >> 1, i = (k + 1) % 3, j = (k + 2) % 3;
    if (periodic[k]) continue;
    const corner = (a, b) => {
      const p = [0, 0, 0];
      [p[k], p[i], p[j]] = [face & 1 ? upper[k] : lower[k], a ? upper[i] : lower[i], b ? upper[j] : lower[j]];
      return p;
    };
    four(corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1));
  }
  return out;
}

class WallLayer {
  constructor(gl) {
    this.gl = gl;
    this.drawn = makeProgram(gl, `
precision highp float;
layout(location = 0) in vec3 place;
uniform mat4 view, projection;
out vec3 seen;
void main() { vec4 p = view * vec4(place, 1.0); seen = p.xyz; gl_Position = projection * p; }`, `
precision highp float;
in vec3 seen;
out vec4 colour;
uniform bool perspective;
void main() {
  vec3 n = normalize(cross(dFdx(seen), dFdy(seen)));
  float facing = max(abs(dot(n, perspective ? normalize(seen) : vec3(0, 0, 1))), 0.2);
  colour = vec4(0.455, 0.541, 0.651, 1.0 - pow(0.88, 1.0 / facing));
}`);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
    this.count = 0;
    this.hidden = true;
  }

  setBox(lower, upper, periodic, container) {  // scene units
    this.setCorners(wallTriangles(lower, upper, periodic, container));
  }

  // The surfaces of a frame, three corners for each triangle.
  async setSurfaces(f) {
    const frame = meta.frames[f], count = 3 * (frame.triangle_count || 0), corners = new Float32Array(3 * count);
    for (let k = 0; k < 3 && count > 0; ++k) {
      const array = frame.triangles.find((one) => one.name === "xyz"[k]), steps = await fetchArray(array, count);
      const from = (array.low - scene.middle[k]) / scene.size, width = (array.high - array.low) / scene.size;
      for (let n = 0; n < count; ++n) corners[3 * n + k] = from + width * steps[n];
    }
    this.setCorners(corners);
  }

  setCorners(corners) {
    this.count = corners.length / 3;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, new Float32Array(corners), this.gl.STATIC_DRAW);
  }

  draw(camera) {
    const gl = this.gl, { program, at } = this.drawn, { view, projection } = camera.matrices();
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.view, false, view);
    gl.uniformMatrix4fv(at.projection, false, projection);
    gl.uniform1i(at.perspective, camera.perspective);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
    gl.depthMask(false);
    gl.bindVertexArray(this.array);
    gl.drawArrays(gl.TRIANGLES, 0, this.count);
    gl.bindVertexArray(null);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }
}
