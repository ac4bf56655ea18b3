// Numbers as text, and the ticks of the legend.
function showNumber(value, digits = 4) {
  if (value === null || Number.isNaN(value)) return "unknown";
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value);
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(digits - 1) : value.toPrecision(digits);
  return text.replace(/(\.\d*?)0+(e|$)/, "$1$2").replace(/\.(e|$)/, "$1");
}

// At most five places on the bar: [share of its width, value].
function ticksOf(low, high, log) {
  if (!(high > low)) return [[0.5, low]];
  const ticks = [[0, low], [1, high]];
  for (const t of [0.25, 0.5, 0.75]) ticks.push([t, log ? low * (high / low) ** t : low + t * (high - low)]);
  return ticks.sort((a, b) => a[0] - b[0]).map(([t, value]) => [t, value]);
}

// Where values lie on the map: 0..1, or -1 for what is unknown (or not above 0 on a logarithmic one).
function tonesOf(values, low, high, log) {
  const out = new Float32Array(values.length);
  const from = log ? Math.log(low) : low, width = (log ? Math.log(high) : high) - from;
  for (let i = 0; i < values.length; ++i) {
    const value = values[i];
    if (Number.isNaN(value) || (log && value <= 0)) out[i] = -1;
    else if (!(width > 0)) out[i] = 0.625;
    else out[i] = Math.min(Math.max(((log ? Math.log(value) : value) - from) / width, 0), 1);
  }
  return out;
}
