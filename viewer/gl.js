// Small helpers around WebGL2.
function makeProgram(gl, vertex, fragment, defines = "") {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, "#version 300 es\n" + defines + source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const at = {};
  for (let u = 0; u < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++u) {
    const name = gl.getActiveUniform(program, u).name;
    at[name] = gl.getUniformLocation(program, name);
  }
  return { program, at };
}
