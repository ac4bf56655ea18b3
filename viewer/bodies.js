// What layers of spheres and of polygons share: colours, marks, thresholds, the cut, and one call that draws squares, six vertices each. The
// vertices have no attributes: they fetch what they need from textures, as instances of four vertices are slow on some cards.
class BodyLayer {
  constructor(gl, vertex, fragment, ownTextures) {
    this.gl = gl;
    this.drawn = makeProgram(gl, vertex, fragment, gl.getParameter(gl.SAMPLES) > 1 ? "#define SMOOTH\n" : "");
    this.picked = makeProgram(gl, vertex, fragment, "#define PICK\n");
    this.bodies = this.squares = 0;
    this.shown = [0, Infinity];  // radii
    this.cut = null;  // { axis, at, sign } in scene units
    this.choosing = false;
    this.faint = 0;
    this.array = gl.createVertexArray();
    this.textures = {};
    for (const name of [...ownTextures, "tones", "marks", "palette"]) {
      this.textures[name] = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, this.textures[name]);
      for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
    }
  }

  // `count` texels of `per` numbers; the rows are as long as the square root, so that millions fit.
  fill(name, data, count, per, inner, format, type) {
    const gl = this.gl, width = Math.max(1, Math.ceil(Math.sqrt(count))), height = Math.max(1, Math.ceil(count / width));
    const whole = new data.constructor(width * height * per);
    whole.set(data);
    gl.bindTexture(gl.TEXTURE_2D, this.textures[name]);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, height, 0, format, type, whole);
  }
  fill4(name, data, count) { this.fill(name, data, count, 4, this.gl.RGBA32F, this.gl.RGBA, this.gl.FLOAT); }

  setTones(tones) { this.fill("tones", tones, this.bodies, 1, this.gl.R32F, this.gl.RED, this.gl.FLOAT); }
  setMarks(marks, choosing) {
    this.fill("marks", marks, this.bodies, 1, this.gl.R8, this.gl.RED, this.gl.UNSIGNED_BYTE);
    this.choosing = choosing;
  }
  setPalette(rgb) {  // 257 colours, 3 bytes each; the last one is for unknown values
    const gl = this.gl, rgba = new Uint8Array(257 * 4).fill(255);
    for (let n = 0; n < 257; ++n) rgba.set(rgb.subarray(3 * n, 3 * n + 3), 4 * n);
    gl.bindTexture(gl.TEXTURE_2D, this.textures.palette);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 257, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
  }

  draw(camera, colours, pick = false) {
    if (this.squares === 0) return;
    const gl = this.gl, { program, at } = pick ? this.picked : this.drawn, { view, projection } = camera.matrices();
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.view, false, view);
    gl.uniformMatrix4fv(at.projection, false, projection);
    gl.uniform2f(at.shown, this.shown[0], Math.min(this.shown[1], 3e38));
    const cut = [0, 0, 0, 0];
    if (this.cut) {
      for (let k = 0; k < 3; ++k) cut[k] = this.cut.sign * view[4 * this.cut.axis + k];
      cut[3] = this.cut.sign * this.cut.at + cut[0] * view[12] + cut[1] * view[13] + cut[2] * view[14];
    }
    gl.uniform4fv(at.cut, cut);
    Object.entries(this.textures).forEach(([name, texture], unit) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.uniform1i(at[name], unit);
    });
    gl.activeTexture(gl.TEXTURE0);
    this.setUniforms(at, camera);  // those that the program at hand does not have are passed over
    if (!pick) {
      gl.uniform1i(at.choosing, this.choosing);
      gl.uniform1f(at.faint, this.faint);
      gl.uniform3fv(at.paper, colours.paper);
      gl.uniform3fv(at.accent, colours.accent);
      gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE);
    }
    gl.bindVertexArray(this.array);
    gl.drawArrays(gl.TRIANGLES, 0, 6 * this.squares);
    gl.bindVertexArray(null);
    gl.disable(gl.SAMPLE_ALPHA_TO_COVERAGE);
  }
}
