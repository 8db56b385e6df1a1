// Samples to lines: which of them a screen needs, their extent, and their paths.

// Indices of the samples to draw: all of the window, or of each column of the screen those that matter.
function visible(columns, which) {
  const { from, to } = view;
  const first = Math.max(0, last(T, from)), final = Math.min(T.length - 1, last(T, to) + 1);
  if (final - first <= 3 * columns) {
    const all = [];
    for (let i = first; i <= final; ++i) all.push(i);
    return all;
  }
  const curves = which.filter((k) => k !== TIME);
  const keep = new Set([first, final]);
  let column = -1, lowest = [], highest = [];
  const flush = () => { for (const i of lowest) keep.add(i); for (const i of highest) keep.add(i); };
  for (let i = first; i <= final; ++i) {
    const c = Math.floor((T[i] - from) / (to - from) * columns);
    if (c !== column) {
      flush();
      column = c;
      lowest = curves.map(() => i);
      highest = curves.map(() => i);
      keep.add(i);
      if (i > 0) keep.add(i - 1);
    }
    curves.forEach((k, n) => {
      if (X[k][i] < X[k][lowest[n]]) lowest[n] = i;
      if (X[k][i] > X[k][highest[n]]) highest[n] = i;
    });
    if (breaks.has(i)) { keep.add(i); keep.add(i - 1); }
  }
  flush();
  return Array.from(keep).filter((i) => i >= first && i <= final).sort((a, b) => a - b);
}
function breaksBetween(a, b) {
  for (let i = a + 1; i <= b; ++i) if (breaks.has(i)) return true;
  return false;
}
// Path data of the samples, and of the pieces among them that slide.
function paths(samples, px, py) {
  let whole = '', slide = '', pen = false, slidePen = false;
  samples.forEach((i, n) => {
    const x = px(i), y = py(i);
    if (x === null || y === null) { pen = slidePen = false; return; }
    const point = x.toFixed(1) + ' ' + y.toFixed(1);
    const cut = n === 0 || breaksBetween(samples[n - 1], i);
    whole += (pen && !cut ? 'L' : 'M') + point;
    // The stretch between the sample before and this one slides if its middle does.
    const before = n > 0 ? samples[n - 1] : i;
    if (pen && !cut && slidesAt(0.5 * (T[before] + T[i]))) {
      if (!slidePen) slide += 'M' + px(before).toFixed(1) + ' ' + py(before).toFixed(1);
      slide += 'L' + point;
      slidePen = true;
    } else slidePen = false;
    pen = true;
  });
  return { whole, slide };
}
function extent(k, samples) {
  const { from, to } = view;
  if (k === TIME) return [from, to];
  let low = Infinity, high = -Infinity;
  for (const i of samples) {
    const value = X[k][i];
    if (value === null || T[i] < from || T[i] > to) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) for (const t of [from, to]) {
    const v = stateAt(t)[k];
    if (v === null) continue;
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  return padded(low, high);
}
