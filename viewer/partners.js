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
  // In a tilted box edge k adds tilt(m, k) along an earlier axis m, and the nearest image is found among more of them.
  const tilt = (m, k) => (box.tilt ? (box.tilt[m + k - 1] || 0) / scene.size : 0);
  if (box.tilt && images.includes(1)) for (let k = 0; k < dim; ++k) images[k] = side[k] > 0 ? 2 : 0;
  const slack = frame.gap + 1e-6, at = [place[3 * i], place[3 * i + 1], place[3 * i + 2]];
  for (let j = 0; j < frame.count; ++j) {
    const d = [0, 0, 0];
    for (let k = 0; k < dim; ++k) d[k] = place[3 * j + k] - at[k];
    for (let k = dim - 1; k >= 0; --k) {
      const turns = side[k] > 0 ? Math.round(d[k] / side[k]) : 0;
      if (turns !== 0) for (let m = 0; m <= k; ++m) d[m] -= turns * (m === k ? side[k] : tilt(m, k));
    }
    const reach = radius[i] + radius[j] + slack;
    for (let a = -images[0]; a <= images[0]; ++a)
      for (let b = -images[1]; b <= images[1]; ++b)
        for (let c = -images[2]; c <= images[2]; ++c) {
          if (j === i && a === 0 && b === 0 && c === 0) continue;
          const x = d[0] + a * side[0] + b * tilt(0, 1) + c * tilt(0, 2), y = d[1] + b * side[1] + c * tilt(1, 2), z = d[2] + c * side[2], square = x * x + y * y + z * z;
          if (square < reach * reach) found.push({ j, gap: (Math.sqrt(square) - radius[i] - radius[j]) * scene.size });
        }
  }
  return found.sort((p, q) => p.gap - q.gap).slice(0, count);
}
