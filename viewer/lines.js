// The layer of lines: the edges of the box.
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

  setBox(lower, upper, dim) {  // scene units
    const ends = [], corner = (n) => [0, 1, 2].map((k) => (k >= dim ? 0 : (n >> k) & 1 ? upper[k] : lower[k]));
    for (let n = 0; n < 1 << dim; ++n)
      for (let k = 0; k < dim; ++k) if (!((n >> k) & 1)) ends.push(...corner(n), ...corner(n | (1 << k)));
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
