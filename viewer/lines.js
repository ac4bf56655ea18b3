// The layer of lines: the edges of the box, or of the round container that it bounds.
function boxEdges(lower, upper, dim) {
  const ends = [], corner = (n) => [0, 1, 2].map((k) => (k >= dim ? 0 : (n >> k) & 1 ? upper[k] : lower[k]));
  for (let n = 0; n < 1 << dim; ++n)
    for (let k = 0; k < dim; ++k) if (!((n >> k) & 1)) ends.push(...corner(n), ...corner(n | (1 << k)));
  return ends;
}

// A sphere by its three great circles (in 2D the circle), a cylinder by its ends and four lines between them.
function roundEdges(lower, upper, dim, container) {
  const ends = [], pieces = 96, middle = [0, 1, 2].map((k) => (k < dim ? (lower[k] + upper[k]) / 2 : 0));
  const onCircle = (i, j, height, turn) => {
    const place = [0, 1, 2].map((k) => (k === i || k === j ? middle[k] : height));
    place[i] += (upper[i] - lower[i]) / 2 * Math.cos(2 * Math.PI * turn);
    place[j] += (upper[j] - lower[j]) / 2 * Math.sin(2 * Math.PI * turn);
    return place;
  };
  const circle = (i, j, height) => {
    for (let n = 0; n < pieces; ++n) ends.push(...onCircle(i, j, height, n / pieces), ...onCircle(i, j, height, (n + 1) / pieces));
  };
  if (container === "cylinder") {
    circle(0, 1, lower[2]);
    circle(0, 1, upper[2]);
    for (let side = 0; side < 4; ++side) ends.push(...onCircle(0, 1, lower[2], side / 4), ...onCircle(0, 1, upper[2], side / 4));
  } else {
    for (let k = dim === 2 ? 2 : 0; k < 3; ++k) circle((k + 1) % 3, (k + 2) % 3, middle[k]);
  }
  return ends;
}

class LineLayer {
  constructor(gl) {
    this.gl = gl;
    this.drawn = makeProgram(gl, `
layout(location = 0) in vec3 place;
uniform mat4 view, projection;
void main() { gl_Position = projection * view * vec4(place, 1.0); }`, `
precision mediump float;
uniform vec3 line;
out vec4 colour;
void main() { colour = vec4(line, 1.0); }`);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
    this.count = 0;
  }

  setBox(lower, upper, dim, container) {  // scene units
    const ends = container === undefined ? boxEdges(lower, upper, dim) : roundEdges(lower, upper, dim, container);
    this.count = ends.length / 3;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, new Float32Array(ends), this.gl.STATIC_DRAW);
  }

  draw(camera, colours) {
    const gl = this.gl, { program, at } = this.drawn, { view, projection } = camera.matrices();
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.view, false, view);
    gl.uniformMatrix4fv(at.projection, false, projection);
    gl.uniform3fv(at.line, colours.line);
    gl.bindVertexArray(this.array);
    gl.drawArrays(gl.LINES, 0, this.count);
    gl.bindVertexArray(null);
  }
}
