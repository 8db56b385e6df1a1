// Axes: their ends, their ticks and what stands beside these. At least three ticks, and no two labels that touch.
function padded(low, high) {
  if (!(high >= low)) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= 1e-12 * size || high === low) { const half = size > 0 ? 0.1 * size : 1; return [low - half, high + half]; }
  const m = 0.07 * (high - low);
  return [low - m, high + m];
}

// A step is factor · 10^exponent; its ticks are whole multiples of it, so that no sum gathers rounding errors.
function multiples(step, low, high) {
  const size = step.factor * Math.pow(10, step.exponent);
  // Divided by a power of ten where that is exact, a step of 0.1 has the ticks 0.1, 0.2 and 0.3.
  const value = step.exponent < 0 ? (n) => n * step.factor / Math.pow(10, -step.exponent) : (n) => n * size;
  const first = Math.ceil(low / size - 1e-9), final = Math.floor(high / size + 1e-9);
  return { size, value, first, final, count: final - first + 1 };
}

// The labels of ticks: short, by a common offset and power of ten that are told in a note where they save many digits.
function labelled(step, low, high, power) {
  const m = multiples(step, low, high);
  const largest = Math.max(Math.abs(low), Math.abs(high));
  let offset = 0;
  if (m.size < 3e-5 * largest) {
    // The offset is a round multiple of the step.
    const round = Math.pow(10, Math.ceil(Math.log10(m.count + 1)));
    offset = Math.floor(m.first / round) * round;
  }
  const most = Math.max(Math.abs(m.first - offset), Math.abs(m.final - offset)) * m.size;
  const magnitude = Math.floor(Math.log10(most) + 1e-9);
  const scale = power || magnitude >= 5 || magnitude <= -4 ? magnitude : 0;
  const factorDigits = step.factor % 1 === 0 ? 0 : 1;
  const decimals = Math.max(0, Math.min(15, scale - step.exponent + factorDigits));
  const ticks = [];
  for (let n = m.first; n <= m.final; ++n) {
    const shown = (n - offset) * step.factor * Math.pow(10, step.exponent - scale);
    ticks.push({ value: m.value(n), text: withMinus(shown.toFixed(decimals)).replace(/^−(0(\.0*)?)$/, '$1') });
  }
  // Zeros that all labels end in tell nothing.
  while (ticks.every((tick) => /\.\d*0$/.test(tick.text))) for (const tick of ticks) tick.text = tick.text.slice(0, -1).replace(/\.$/, '');
  const base = m.value(offset);
  const note = (scale ? '×10' + superscript(scale) : '') +
    (offset ? (scale ? ' ' : '') + (base < 0 ? '− ' : '+ ') + String(Number(Math.abs(base).toPrecision(15))) : '');
  return { ticks, note };
}

// `length` in pixels; `isUpright` for an axis whose labels stand above each other.
function axis(low, high, length, isUpright) {
  const range = high - low;
  const wanted = Math.max(3, Math.floor(length / (isUpright ? 38 : 100)));
  const fits = (found, step) => {
    const room = step.factor * Math.pow(10, step.exponent) / range * length;
    if (isUpright) return room >= 15;
    return room >= 12 + 7 * Math.max(...found.ticks.map((tick) => tick.text.length));
  };
  const top = Math.ceil(Math.log10(range));
  let fallback = null;
  // Ever less round steps, and labels by a power of ten, until three of them find room.
  for (const [factors, power] of [[[5, 2, 1], false], [[5, 2.5, 2, 1], false], [[8, 6, 5, 4, 3, 2.5, 2, 1.5, 1], false],
    [[8, 6, 5, 4, 3, 2.5, 2, 1.5, 1], true]]) {
    let best = null;
    for (let exponent = top; exponent >= top - 3; --exponent) {
      for (const factor of factors) {
        const step = { factor, exponent };
        const count = multiples(step, low, high).count;
        if (count < 3 || (best && count > wanted) || count > 40) continue;
        const found = labelled(step, low, high, power);
        fallback = fallback || found;
        if (fits(found, step)) best = found;
      }
    }
    if (best) return best;
  }
  return fallback || { ticks: [], note: '' };
}
