// Where the eye is: it looks at `target` from `distance` away, turned by azimuth around z and elevation above the plane; 2D sets are
// seen from +z. Matrices are columns first, as WebGL takes them.
const FIELD = (20 * Math.PI) / 180;

class Camera {
  constructor(half, size, flat) {
    this.flat = flat;
    this.reach = (Math.hypot(...half) / size) * 1.02 || 1;  // of the scene, from its middle
    this.fitted = flat ? half.map((h) => h / size) : null;
    this.perspective = !flat;
    this.aspect = 1;
    this.share = [1, 1];  // of the window that 2D sets are fitted into, as panels cover the rest ...
    this.shift = [0, 0];  // ... and where its middle is: -1 .. 1 from left to right, from below to the top
    this.reset();
  }

  reset() {
    this.target = [0, 0, 0];
    this.azimuth = -Math.PI / 3;
    this.elevation = Math.PI / 6;
    this.zoom = 1;
    this.changed = true;
  }

  // Half the height of what is seen at the target.
  get halfHeight() {
    const fit = this.flat ? 1.06 * Math.max(this.fitted[1] / this.share[1], this.fitted[0] / this.aspect / this.share[0], 1e-6) : this.reach / Math.min(1, this.aspect);
    return fit / this.zoom;
  }

  get distance() { return this.halfHeight / Math.sin(FIELD / 2); }

  // right, up and back (towards the eye), as rows.
  axes() {
    if (this.flat) return [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    const ca = Math.cos(this.azimuth), sa = Math.sin(this.azimuth), ce = Math.cos(this.elevation), se = Math.sin(this.elevation);
    return [[-sa, ca, 0], [-se * ca, -se * sa, ce], [ce * ca, ce * sa, se]];
  }

  matrices() {
    const [right, up, back] = this.axes(), t = this.target, d = this.distance;
    const dot = (a) => a[0] * t[0] + a[1] * t[1] + a[2] * t[2];
    const view = [right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0, -dot(right), -dot(up), -dot(back) - d, 1];
    const middle = d + dot(back);  // how far the scene's middle lies before the eye
    const far = middle + this.reach, tall = this.halfHeight;
    let projection;
    if (this.perspective) {
      const near = Math.max(middle - this.reach, 1e-3 * d, 1e-3 * far), f = d / tall;
      projection = [f / this.aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, -(far + near) / (far - near), -1, 0, 0, (-2 * far * near) / (far - near), 0];
    } else {
      const near = middle - this.reach;
      projection = [1 / (tall * this.aspect), 0, 0, 0, 0, 1 / tall, 0, 0, 0, 0, -2 / (far - near), 0, ...this.shift, -(far + near) / (far - near), 1];
    }
    return { view, projection };
  }

  turn(dx, dy) {  // radians
    this.azimuth -= dx;
    this.elevation = Math.min(Math.max(this.elevation + dy, -Math.PI / 2), Math.PI / 2);
    this.changed = true;
  }

  pan(dx, dy) {  // in heights of the window
    const [right, up] = this.axes(), unit = 2 * this.halfHeight;
    for (let k = 0; k < 3; ++k) this.target[k] -= unit * (dx * right[k] - dy * up[k]);
    this.changed = true;
  }

  // The place (x, y) stays where it is, in heights of the window from the middle.
  zoomBy(factor, x = 0, y = 0) {
    const before = this.zoom;
    this.zoom = Math.min(Math.max(before * factor, 0.05), 2000);
    this.pan((1 - this.zoom / before) * x, (1 - this.zoom / before) * y);
    this.changed = true;
  }

  // A place of the scene on a canvas of that size: [x, y, pixels per unit there].
  project(p, width, height) {
    const { view, projection } = this.matrices();
    const at = (m, v) => [0, 1, 2, 3].map((r) => m[r] * v[0] + m[4 + r] * v[1] + m[8 + r] * v[2] + m[12 + r] * v[3]);
    const clip = at(projection, at(view, [p[0], p[1], p[2], 1]));
    return [((clip[0] / clip[3] + 1) * width) / 2, ((1 - clip[1] / clip[3]) * height) / 2, (projection[5] / clip[3]) * (height / 2)];
  }
}
