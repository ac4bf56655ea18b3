// Who is near one sphere: all others are asked, which takes milliseconds for a million. scree counted the partners from exact positions;
// those here are rounded. So the count stands, and the nearest that many are taken, image by image.
function partnersOf(frame, i, count) {
  const { place, radius, box } = frame, dim = meta.dim, found = [], side = [0, 0, 0], images = [0, 0, 0];
  let largest = 0;
  for (let j = 0; j < frame.count; ++j) largest = Math.max(largest, radius[j]);
  for (let k = 0; k < dim; ++k) {
    if (!box.periodic || !box.periodic[k]) continue;
    side[k] = (box.box_upper[k] - box.box_lower[k]) / scene.size;
    images[k] = side[k] < 2 * (radius[i] + largest + frame.gap) * 1.001 ? 1 : 0;  // else the nearest image alone can be one
  }
  const slack = frame.gap + 1e-6, at = [place[3 * i], place[3 * i + 1], place[3 * i + 2]];
  for (let j = 0; j < frame.count; ++j) {
    const d = [0, 0, 0];
    for (let k = 0; k < dim; ++k) {
      d[k] = place[3 * j + k] - at[k];
      if (side[k] > 0) d[k] -= side[k] * Math.round(d[k] / side[k]);
    }
    const reach = radius[i] + radius[j] + slack;
    for (let a = -images[0]; a <= images[0]; ++a)
      for (let b = -images[1]; b <= images[1]; ++b)
        for (let c = -images[2]; c <= images[2]; ++c) {
          if (j === i && a === 0 && b === 0 && c === 0) continue;
          const x = d[0] + a * side[0], y = d[1] + b * side[1], z = d[2] + c * side[2], square = x * x + y * y + z * z;
          if (square < reach * reach) found.push({ j, gap: (Math.sqrt(square) - radius[i] - radius[j]) * scene.size });
        }
  }
  return found.sort((p, q) => p.gap - q.gap).slice(0, count);
}
