// The page of a run: picture, events and what belongs to them. All there is to know is in the JSON of #data.
//   curves.t, curves.x[k]   samples; `breaks` begin a new piece (the state jumped), in increasing order
//   segments                start times and mode of each stretch between events
//   events                  as in the JSON document of a run; `gap` tells how many were left out, and after which
'use strict';
(function () {
  const data = JSON.parse(document.getElementById('data').textContent);
  const NS = 'http://www.w3.org/2000/svg';
  const $ = (id) => document.getElementById(id);
  const T = data.curves.t, X = data.curves.x, names = data.curves.names;
  const breaks = new Set(data.curves.breaks);
  const events = data.events;
  const start = data.start, end = data.end > data.start ? data.end : data.start + 1;
  const portrait = data.portrait;
  const margin = { left: 66, right: 12, top: 8, bottom: 30 };
  let shown = data.shown.slice();
  let from = start, to = end;
  let chosen = -1, page = 0;
  const perPage = 100;

  // ---- small tools ------------------------------------------------------------------------------------------------
  function element(name, attributes, parent, text) {
    const made = document.createElementNS(NS, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
  }
  function html(name, parent, text, className) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    if (parent) parent.appendChild(made);
    return made;
  }
  function number(value, digits) {
    if (value === null || value === undefined || !isFinite(value)) return '';
    if (value === 0) return '0';
    const text = Number(value).toPrecision(digits || 7);
    return String(Number(text)).replace('-', '−');
  }
  // The number of the last entry of a sorted list that is not above the value; −1 if there is none.
  function last(list, value) {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] <= value) low = middle + 1; else high = middle;
    }
    return low - 1;
  }
  function ticks(low, high, count) {
    const raw = (high - low) / Math.max(count, 1);
    const unit = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 5, 10].map((k) => k * unit).find((s) => s >= raw * 0.999) || 10 * unit;
    const list = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) list.push(k * step);
    const decimals = Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));
    const large = Math.max(Math.abs(low), Math.abs(high));
    const text = (v) => (large >= 1e6 || (large < 1e-4 && large > 0)) ? number(v, 4) : v.toFixed(decimals).replace('-', '−');
    return { list, text };
  }
  function padded(low, high) {
    if (!(high >= low)) return [-1, 1];
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (high - low <= 1e-12 * size || high === low) { const half = size > 0 ? 0.1 * size : 1; return [low - half, high + half]; }
    const m = 0.07 * (high - low);
    return [low - m, high + m];
  }
  const modeAt = (t) => {
    const k = last(data.segments.t, t);
    if (k < 0) return null;
    return { word: data.modes[data.segments.mode[k]], slides: data.segments.slides[k] === 1,
      location: data.segments.location ? data.locations[data.segments.location[k]] : null };
  };

  const bandStarts = data.bands.map((band) => band[0]);
  function slidesAt(t) {
    const k = last(bandStarts, t);
    return k >= 0 && t <= data.bands[k][1];
  }

  // ---- sampling ---------------------------------------------------------------------------------------------------
  // The states at t, on the straight line between the samples.
  function stateAt(t) {
    const k = Math.max(0, last(T, t));
    if (k + 1 >= T.length || breaks.has(k + 1) || T[k + 1] === T[k]) return X.map((x) => x[k]);
    const part = (t - T[k]) / (T[k + 1] - T[k]);
    return X.map((x) => x[k] === null || x[k + 1] === null ? x[k] : x[k] + part * (x[k + 1] - x[k]));
  }
  // Indices of the samples to draw between two times: all of them, or of each column of the screen those that matter.
  function visible(columns, which) {
    const first = Math.max(0, last(T, from)), final = Math.min(T.length - 1, last(T, to) + 1);
    if (final - first <= 3 * columns) {
      const all = [];
      for (let i = first; i <= final; ++i) all.push(i);
      return all;
    }
    const keep = new Set([first, final]);
    let column = -1, lowest = [], highest = [];
    const flush = () => { for (const i of lowest) keep.add(i); for (const i of highest) keep.add(i); };
    for (let i = first; i <= final; ++i) {
      const c = Math.floor((T[i] - from) / (to - from) * columns);
      if (c !== column) {
        flush();
        column = c;
        lowest = which.map(() => i);
        highest = which.map(() => i);
        keep.add(i);
        if (i > 0) keep.add(i - 1);
      }
      which.forEach((k, n) => {
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
      pen = true;
      // The stretch between the sample before and this one slides if its middle does.
      const before = n > 0 ? samples[n - 1] : i;
      if (n > 0 && !cut && slidesAt(0.5 * (T[before] + T[i]))) {
        if (!slidePen) slide += 'M' + px(before).toFixed(1) + ' ' + py(before).toFixed(1);
        slide += 'L' + point;
        slidePen = true;
      } else slidePen = false;
    });
    return { whole, slide };
  }
  function extent(k, samples) {
    let low = Infinity, high = -Infinity;
    for (const i of samples) {
      const value = X[k][i];
      if (value === null || T[i] < from || T[i] > to) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (low > high) for (const t of [from, to]) { const v = stateAt(t)[k]; low = Math.min(low, v); high = Math.max(high, v); }
    return padded(low, high);
  }

  // ---- events -----------------------------------------------------------------------------------------------------
  const shapes = {
    crossing: 'circle', sliding_entry: 'up', sliding_exit: 'down', corner: 'square', reset: 'diamond', transition: 'diamond',
    impact: 'diamond', contact: 'diamond', release: 'diamond', grazing: 'x', record: 'x', repelling: 'star', two_fold: 'star',
    ambiguous: 'star', stop: 'block', zeno: 'block'
  };
  const groups = { circle: 'crossing', up: 'sliding starts', down: 'sliding ends', square: 'corner',
    diamond: 'jump, contact or switch',
    x: 'touch or record', star: 'not unique', block: 'stop or Zeno point' };
  function shapePath(shape, x, y, r) {
    const p = (dx, dy) => (x + dx * r).toFixed(1) + ' ' + (y + dy * r).toFixed(1);
    switch (shape) {
      case 'down': return 'M' + p(-1, -.8) + 'L' + p(1, -.8) + 'L' + p(0, 1) + 'Z';
      case 'up': return 'M' + p(-1, .8) + 'L' + p(1, .8) + 'L' + p(0, -1) + 'Z';
      case 'square': case 'block': return 'M' + p(-.8, -.8) + 'L' + p(.8, -.8) + 'L' + p(.8, .8) + 'L' + p(-.8, .8) + 'Z';
      case 'diamond': return 'M' + p(0, -1.1) + 'L' + p(1.1, 0) + 'L' + p(0, 1.1) + 'L' + p(-1.1, 0) + 'Z';
      case 'x': return 'M' + p(-.8, -.8) + 'L' + p(.8, .8) + 'M' + p(.8, -.8) + 'L' + p(-.8, .8);
      case 'star': return 'M' + p(-1, 0) + 'L' + p(1, 0) + 'M' + p(0, -1) + 'L' + p(0, 1) + 'M' + p(-.7, -.7) + 'L' + p(.7, .7) +
        'M' + p(.7, -.7) + 'L' + p(-.7, .7);
      default: return 'M' + p(-1, 0) + 'A' + r + ' ' + r + ' 0 1 0 ' + p(1, 0) + 'A' + r + ' ' + r + ' 0 1 0 ' + p(-1, 0) + 'Z';
    }
  }
  const shapeOf = (event) => shapes[event.kind] || 'circle';
  const eventClass = (shape) => 'event' + (shape === 'block' || shape === 'up' ? ' solid' : shape === 'x' || shape === 'star' ? ' cross' : '');
  function eventState(event, k) {
    if (event.after && event.after[names[k]] !== undefined) return event.after[names[k]];
    return stateAt(event.t)[k];
  }
  const kindText = (kind) => kind.replace(/_/g, ' ');
  const place = (event) => event.name || event.surfaces.slice(0, 3).join(' ') +
    (event.surfaces.length > 3 ? ' … (' + event.surfaces.length + ' surfaces)' : '');
  function change(event) {
    const short = (word) => word === null ? '?' : word.length > 24 ? word.slice(0, 22) + '…' : word.replace(/-/g, '−');
    const mode = event.from === null ? '→ ' + short(event.to) : event.from === event.to ? short(event.to)
      : short(event.from) + ' → ' + short(event.to);
    if (event.from_location && event.from_location !== event.to_location)
      return (mode === '→ ' || mode === '' ? '' : mode + '  ') + event.from_location + ' → ' + event.to_location;
    return mode;
  }
  // The events to draw: where several share a few pixels, the chosen or the first stands for them.
  function drawn(columns) {
    const list = [];
    let lastColumn = -1;
    events.forEach((event, i) => {
      if (event.t < from || event.t > to) return;
      const column = Math.floor((event.t - from) / (to - from) * columns);
      if (i === chosen) { if (column === lastColumn) list.pop(); list.push(i); lastColumn = column; return; }
      if (column === lastColumn) return;
      list.push(i);
      lastColumn = column;
    });
    return list;
  }

  // A name along an axis of so many pixels.
  function fitted(name, room) {
    const most = Math.max(3, Math.floor(room / 8));
    return name.length > most ? name.slice(0, most - 1) + '…' : name;
  }

  // ---- the picture over time --------------------------------------------------------------------------------------
  const panels = $('time-picture');
  let cursor = null, dots = [], geometry = null;
  function drawTime() {
    const width = panels.clientWidth || 800;
    const height = Math.max(100, Math.min(190, 520 / Math.max(shown.length, 2)));
    const gap = 12;
    const total = margin.top + shown.length * (height + gap) - gap + margin.bottom;
    panels.innerHTML = '';
    const svg = element('svg', { viewBox: '0 0 ' + width + ' ' + total, height: total, tabindex: 0, role: 'img',
      'aria-label': 'States over time from ' + number(from, 5) + ' to ' + number(to, 5) }, panels);
    const left = margin.left, right = width - margin.right;
    const px = (t) => left + (t - from) / (to - from) * (right - left);
    const columns = Math.max(100, Math.floor(right - left));
    const samples = visible(columns, shown);
    const clip = element('clipPath', { id: 'inside' }, element('defs', {}, svg));
    element('rect', { x: left, y: 0, width: right - left, height: total }, clip);
    geometry = { svg, left, right, px, rows: [], t: (x) => from + (x - left) / (right - left) * (to - from) };
    const along = ticks(from, to, width / 110);
    shown.forEach((k, row) => {
      const top = margin.top + row * (height + gap), bottom = top + height;
      const [low, high] = extent(k, samples);
      const py = (value) => bottom - (value - low) / (high - low) * height;
      geometry.rows.push({ k, top, bottom, py });
      const below = element('g', { 'clip-path': 'url(#inside)' }, svg);
      data.bands.forEach(([a, b]) => {
        if (b < from || a > to) return;
        element('rect', { class: 'band', x: px(Math.max(a, from)).toFixed(1), y: top,
          width: Math.max(0.5, px(Math.min(b, to)) - px(Math.max(a, from))).toFixed(1), height }, below);
      });
      const up = ticks(low, high, height / 38);
      for (const value of up.list) {
        element('line', { class: 'grid', x1: left, x2: right, y1: py(value), y2: py(value) }, svg);
        element('text', { x: left - 7, y: py(value) + 4, 'text-anchor': 'end' }, svg, up.text(value));
      }
      const inside = element('g', { 'clip-path': 'url(#inside)' }, svg);
      for (const level of data.levels.filter((l) => l.state === k)) {
        if (level.value > low && level.value < high)
          element('line', { class: 'zero', x1: left, x2: right, y1: py(level.value), y2: py(level.value) }, svg);
      }
      const path = paths(samples, (i) => px(T[i]), (i) => X[k][i] === null ? null : py(X[k][i]));
      element('path', { class: 'curve', d: path.whole }, inside);
      if (path.slide) element('path', { class: 'slide', d: path.slide }, inside);
      element('rect', { class: 'axis', x: left, y: top, width: right - left, height }, svg);
      element('text', { x: 14, y: (top + bottom) / 2, transform: 'rotate(-90 14 ' + (top + bottom) / 2 + ')', 'text-anchor': 'middle',
        'font-weight': 600 }, svg, fitted(names[k], height));
    });
    const bottom = total - margin.bottom;
    for (const value of along.list)
      element('text', { x: px(value), y: bottom + 17, 'text-anchor': 'middle' }, svg, along.text(value));
    element('text', { x: right, y: total - 1, 'text-anchor': 'end', 'font-weight': 600 }, svg, 't');
    const marks = drawn(columns / 7);
    geometry.marks = [];
    marks.forEach((i) => {
      geometry.rows.forEach((row) => {
        const x = px(events[i].t), y = row.py(eventState(events[i], row.k));
        if (!isFinite(y)) return;
        const shape = shapeOf(events[i]);
        const mark = element('path', { class: eventClass(shape) + (i === chosen ? ' chosen' : ''), 'data-event': i,
          d: shapePath(shape, x, Math.max(row.top, Math.min(row.bottom, y)), i === chosen ? 7 : marks.length > 60 ? 3.4 : 5) }, svg);
        element('title', {}, mark, kindText(events[i].kind) + ' at t = ' + number(events[i].t, 10));
      });
    });
    cursor = element('line', { class: 'cursor', y1: margin.top, y2: bottom, x1: -10, x2: -10, visibility: 'hidden' }, svg);
    dots = geometry.rows.map(() => element('circle', { class: 'dot', r: 4, cx: -10, cy: -10, visibility: 'hidden' }, svg));
    svg.addEventListener('pointermove', moved);
    svg.addEventListener('pointerleave', left_);
    svg.addEventListener('pointerdown', pressed);
    svg.addEventListener('pointerup', released);
    svg.addEventListener('wheel', wheeled, { passive: false });
    svg.addEventListener('dblclick', () => zoom(start, end));
    svg.addEventListener('keydown', keyed);
    $('out').disabled = $('all').disabled = from <= start && to >= end;
    const within = events.filter((event) => event.t >= from && event.t <= to).length;
    $('range').textContent = 't = ' + number(from, 6) + ' … ' + number(to, 6) +
      (marks.length < within ? ', ' + marks.length + ' of ' + within + ' events drawn' : '');
  }

  // ---- the phase portrait -----------------------------------------------------------------------------------------
  const plane = $('portrait');
  let planeDot = null, planeGeometry = null;
  function drawPortrait() {
    if (!portrait) return;
    const width = plane.clientWidth || 420, height = Math.max(300, Math.min(520, width * 0.95));
    plane.innerHTML = '';
    const svg = element('svg', { viewBox: '0 0 ' + width + ' ' + height, height, role: 'img',
      'aria-label': 'Phase portrait of ' + names[portrait[0]] + ' and ' + names[portrait[1]] }, plane);
    const left = margin.left, right = width - margin.right, top = margin.top, bottom = height - margin.bottom - 8;
    const [a, b] = portrait;
    const samples = visible(2400, portrait);
    const [xl, xh] = extent(a, samples), [yl, yh] = extent(b, samples);
    const px = (v) => left + (v - xl) / (xh - xl) * (right - left), py = (v) => bottom - (v - yl) / (yh - yl) * (bottom - top);
    planeGeometry = { px, py };
    const clip = element('clipPath', { id: 'plane' }, element('defs', {}, svg));
    element('rect', { x: left, y: top, width: right - left, height: bottom - top }, clip);
    const inside = element('g', { 'clip-path': 'url(#plane)' }, svg);
    const across = ticks(xl, xh, width / 90), up = ticks(yl, yh, height / 60);
    for (const v of across.list) {
      element('line', { class: 'grid', x1: px(v), x2: px(v), y1: top, y2: bottom }, inside);
      element('text', { x: px(v), y: bottom + 17, 'text-anchor': 'middle' }, svg, across.text(v));
    }
    for (const v of up.list) {
      element('line', { class: 'grid', x1: left, x2: right, y1: py(v), y2: py(v) }, inside);
      element('text', { x: left - 7, y: py(v) + 4, 'text-anchor': 'end' }, svg, up.text(v));
    }
    for (const level of data.levels) {
      if (level.state === b) element('line', { class: 'zero', x1: left, x2: right, y1: py(level.value), y2: py(level.value) }, inside);
      if (level.state === a) element('line', { class: 'zero', y1: top, y2: bottom, x1: px(level.value), x2: px(level.value) }, inside);
    }
    if (data.lines.length) {
      const d = data.lines.map((l) => 'M' + px(l[0]).toFixed(1) + ' ' + py(l[1]).toFixed(1) + 'L' + px(l[2]).toFixed(1) + ' ' +
        py(l[3]).toFixed(1)).join('');
      element('path', { class: 'zero', style: 'stroke-dasharray: none', d }, inside);
    }
    const path = paths(samples, (i) => X[a][i] === null ? null : px(X[a][i]), (i) => X[b][i] === null ? null : py(X[b][i]));
    element('path', { class: 'curve', d: path.whole }, inside);
    if (path.slide) element('path', { class: 'slide', d: path.slide }, inside);
    element('rect', { class: 'axis', x: left, y: top, width: right - left, height: bottom - top }, svg);
    element('text', { x: right, y: height - 3, 'text-anchor': 'end', 'font-weight': 600 }, svg, fitted(names[a], right - left));
    element('text', { x: 14, y: (top + bottom) / 2, transform: 'rotate(-90 14 ' + (top + bottom) / 2 + ')', 'text-anchor': 'middle',
      'font-weight': 600 }, svg, fitted(names[b], bottom - top));
    const marks = drawn(120);
    marks.forEach((i) => {
      const x = px(eventState(events[i], a)), y = py(eventState(events[i], b));
      if (!isFinite(x) || !isFinite(y)) return;
      const shape = shapeOf(events[i]);
      const mark = element('path', { class: eventClass(shape) + (i === chosen ? ' chosen' : ''), 'data-event': i,
        d: shapePath(shape, x, y, i === chosen ? 7 : marks.length > 60 ? 3.2 : 5) }, inside);
      mark.addEventListener('click', () => choose(i));
      element('title', {}, mark, kindText(events[i].kind) + ' at t = ' + number(events[i].t, 10));
    });
    planeDot = element('circle', { class: 'dot', r: 5, cx: -10, cy: -10, visibility: 'hidden' }, svg);
  }

  // ---- pointer and keys -------------------------------------------------------------------------------------------
  let pressedAt = null, brush = null;
  const hover = $('hover');
  function local(event) {
    const box = geometry.svg.getBoundingClientRect();
    const scale = box.width / (geometry.svg.viewBox.baseVal.width || box.width);
    return { x: (event.clientX - box.left) / scale, y: (event.clientY - box.top) / scale };
  }
  function nearest(point) {
    let best = -1, distance = 12;
    for (const mark of geometry.svg.querySelectorAll('[data-event]')) {
      const i = Number(mark.getAttribute('data-event'));
      const x = geometry.px(events[i].t);
      if (Math.abs(x - point.x) > distance) continue;
      for (const row of geometry.rows) {
        const y = Math.max(row.top, Math.min(row.bottom, row.py(eventState(events[i], row.k))));
        const d = Math.hypot(x - point.x, y - point.y);
        if (d < distance) { distance = d; best = i; }
      }
    }
    return best;
  }
  function moved(event) {
    const point = local(event);
    const t = Math.max(from, Math.min(to, geometry.t(point.x)));
    if (pressedAt !== null && Math.abs(point.x - pressedAt) > 4) {
      if (!brush) brush = element('rect', { class: 'brush', y: margin.top, height: geometry.rows[geometry.rows.length - 1].bottom - margin.top }, geometry.svg);
      brush.setAttribute('x', Math.max(geometry.left, Math.min(point.x, pressedAt)));
      brush.setAttribute('width', Math.abs(Math.max(geometry.left, Math.min(geometry.right, point.x)) - pressedAt));
    }
    if (point.x < geometry.left - 6 || point.x > geometry.right + 6 || t > data.solved) { left_(); return; }
    showAt(t, point);
  }
  function showAt(t, point) {
    const x = geometry.px(t), state = stateAt(t), mode = modeAt(t);
    cursor.setAttribute('x1', x);
    cursor.setAttribute('x2', x);
    cursor.setAttribute('visibility', 'visible');
    geometry.rows.forEach((row, n) => {
      dots[n].setAttribute('cx', x);
      dots[n].setAttribute('cy', row.py(state[row.k]));
      dots[n].setAttribute('visibility', 'visible');
    });
    if (planeDot) {
      planeDot.setAttribute('cx', planeGeometry.px(state[portrait[0]]));
      planeDot.setAttribute('cy', planeGeometry.py(state[portrait[1]]));
      planeDot.setAttribute('visibility', 'visible');
    }
    hover.innerHTML = '';
    html('b', html('div', hover), 't = ' + number(t, 7));
    if (mode && (mode.word || mode.location)) {
      const line = html('div', hover, 'mode ');
      html('span', line, mode.word.replace(/-/g, '−').slice(0, 40) || '', 'mono');
      if (mode.slides) html('span', line, '  sliding');
      if (mode.location) html('span', line, '  in ' + mode.location);
    }
    shown.forEach((k) => html('div', hover, names[k] + ' = ' + number(state[k], 6)));
    hover.style.display = 'block';
    const box = $('picture').getBoundingClientRect(), inner = geometry.svg.getBoundingClientRect();
    const offset = inner.left - box.left;
    const room = box.width - (offset + point.x) - 24;
    hover.style.left = (room > hover.offsetWidth ? offset + point.x + 16 : Math.max(0, offset + point.x - 16 - hover.offsetWidth)) + 'px';
    hover.style.top = Math.max(0, inner.top - box.top + point.y - 20) + 'px';
  }
  function left_() {
    hover.style.display = 'none';
    for (const mark of [cursor, planeDot, ...dots]) if (mark) mark.setAttribute('visibility', 'hidden');
  }
  function pressed(event) {
    if (event.button !== 0) return;
    pressedAt = Math.max(geometry.left, Math.min(geometry.right, local(event).x));
    try { geometry.svg.setPointerCapture(event.pointerId); } catch (ignored) { /* a pointer made by a script */ }
  }
  function released(event) {
    if (pressedAt === null) return;
    const point = local(event), began = pressedAt;
    pressedAt = null;
    if (brush) {
      brush.remove();
      brush = null;
      const a = geometry.t(began), b = geometry.t(Math.max(geometry.left, Math.min(geometry.right, point.x)));
      if (Math.abs(point.x - began) > 4) { zoom(Math.min(a, b), Math.max(a, b)); return; }
    }
    const hit = nearest(point);
    if (hit >= 0) choose(hit);
  }
  function wheeled(event) {
    // Only with a key held, or once the picture has the focus: the page must scroll.
    if (!event.ctrlKey && !event.shiftKey && document.activeElement !== geometry.svg) return;
    event.preventDefault();
    const t = geometry.t(local(event).x), factor = Math.exp(0.0016 * (event.deltaY || event.deltaX));
    zoom(t - (t - from) * factor, t + (to - t) * factor);
  }
  function keyed(event) {
    const width = to - from;
    const moves = { ArrowLeft: [-0.2, -0.2], ArrowRight: [0.2, 0.2], '+': [0.2, -0.2], '=': [0.2, -0.2], '-': [-0.34, 0.34] };
    if (event.key in moves) {
      const [a, b] = moves[event.key];
      const shift = a === b ? Math.max(start - from, Math.min(end - to, a * width)) : null;
      zoom(from + (shift === null ? a * width : shift), to + (shift === null ? b * width : shift));
    } else if (event.key === '0' || event.key === 'Escape') zoom(start, end);
    else return;
    event.preventDefault();
    geometry.svg.focus({ preventScroll: true });
  }
  function zoom(a, b) {
    const least = 1e-12 * Math.max(Math.abs(start), Math.abs(end), end - start);
    const focused = document.activeElement === geometry.svg;
    a = Math.max(start, a);
    b = Math.min(end, b);
    if (!(b - a > least)) return;
    from = a;
    to = b;
    draw();
    if (focused) geometry.svg.focus({ preventScroll: true });
  }
  function draw() {
    left_();
    drawTime();
    drawPortrait();
  }

  // ---- the chosen event -------------------------------------------------------------------------------------------
  function choose(i) {
    chosen = i;
    const event = events[i];
    if (i >= 0 && (event.t < from || event.t > to)) {
      const width = to - from;
      from = Math.max(start, Math.min(end - width, event.t - width / 2));
      to = from + width;
    }
    draw();
    page = Math.floor(i / perPage);
    table();
    const detail = $('detail');
    detail.hidden = false;
    detail.innerHTML = '';
    const bar = html('div', detail, undefined, 'navigate');
    const back = html('button', bar, '◀ previous');
    back.disabled = i === 0;
    back.onclick = () => choose(i - 1);
    bar.append(' ');
    const next = html('button', bar, 'next ▶');
    next.disabled = i + 1 >= events.length;
    next.onclick = () => choose(i + 1);
    bar.append(' ');
    html('button', bar, 'zoom in').onclick = () => {
      const width = (to - from) / 8;
      zoom(event.t - width / 2, event.t + width / 2);
    };
    html('h3', detail, kindText(event.kind) + (place(event) ? ' · ' + place(event) : '') + ' · t = ' + number(event.t, 15));
    html('p', detail, event.reason, 'reason');
    const facts = html('div', detail, undefined, 'facts');
    const classification = html('table', html('div', facts));
    const row = (title, text) => {
      const line = html('tr', classification);
      html('th', line, title);
      html('td', line, text, 'n');
    };
    row('mode', change(event) || '·');
    event.surfaces.slice(0, 12).forEach((surface, s) => {
      const of = event.surfaces.length > 1 || event.name ? ' of ' + surface : '';
      // What has no meaning for an event is not told.
      if (event.w_minus[s] !== null) row('w− ' + of, number(event.w_minus[s], 9));
      if (event.w_plus[s] !== null) row('w+ ' + of, number(event.w_plus[s], 9));
      if (event.lambda[s] !== null) row('λ ' + of, number(event.lambda[s], 9));
    });
    if (event.surfaces.length > 12) row('', (event.surfaces.length - 12) + ' more surfaces');
    if (event.round > 1) row('round', event.round);
    if (event.codeword) row('code word', event.codeword);
    if (event.continuations && event.continuations.length) row('continuations', event.continuations.join('   ').replace(/-/g, '−'));
    if (event.in_convex_hull && event.in_convex_hull.length) row('in the convex hull', event.in_convex_hull.join('   ').replace(/-/g, '−'));
    const states = html('table', html('div', facts));
    if (event.before && event.after) {
      const head = html('tr', states);
      html('th', head, 'state');
      html('th', head, 'before', 'n');
      html('th', head, 'after', 'n');
      Object.keys(event.before).slice(0, 24).forEach((name) => {
        const line = html('tr', states);
        html('td', line, name);
        html('td', line, number(event.before[name], 9), 'n');
        html('td', line, number(event.after[name], 9), 'n');
      });
    }
    if (event.w_minus.some((w) => w !== null)) html('p', facts.firstChild, 'w− and w+ are the speeds, in units of the surface’s function, at which the fields below and above the '
      + 'surface move across it.', 'faint');
  }

  // ---- the table of events ----------------------------------------------------------------------------------------
  function table() {
    const body = $('events').tBodies[0];
    body.innerHTML = '';
    const first = page * perPage;
    events.slice(first, first + perPage).forEach((event, n) => {
      const i = first + n;
      const row = html('tr', body);
      row.tabIndex = 0;
      row.dataset.row = i;
      if (i === chosen) row.className = 'chosen';
      html('td', row, number(event.t, 10), 'n');
      const kind = html('td', row);
      const icon = element('svg', { width: 16, height: 14, 'aria-hidden': 'true' }, kind);
      element('path', { class: eventClass(shapeOf(event)), d: shapePath(shapeOf(event), 7, 7, 4.5) }, icon);
      kind.append(' ' + kindText(event.kind));
      html('td', row, place(event));
      html('td', row, change(event), 'mono');
      html('td', row, event.w_minus.slice(0, 3).map((w) => number(w, 4)).join(' '), 'n');
      html('td', row, event.w_plus.slice(0, 3).map((w) => number(w, 4)).join(' '), 'n');
      html('td', row, event.reason);
      row.onclick = () => choose(i);
      row.onkeydown = (key) => { if (key.key === 'Enter' || key.key === ' ') { key.preventDefault(); choose(i); } };
      if (data.gap && i + 1 === data.gap.after) {
        const cell = html('td', html('tr', body), '… ' + data.gap.count + ' events are left out of this page …', 'faint');
        cell.colSpan = 7;
      }
    });
    const pages = Math.ceil(events.length / perPage);
    $('pages').hidden = pages <= 1;
    $('page-text').textContent = 'events ' + (first + 1) + ' to ' + Math.min(first + perPage, events.length) + ' of ' + events.length;
    $('page-back').disabled = page === 0;
    $('page-next').disabled = page + 1 >= pages;
  }

  // ---- set up -----------------------------------------------------------------------------------------------------
  function controls() {
    const box = $('states');
    if (names.length > 1) {
      html('legend', box, 'states');
      names.forEach((name, k) => {
        const label = html('label', box);
        const tick = html('input', label);
        tick.type = 'checkbox';
        tick.checked = shown.includes(k);
        tick.onchange = () => {
          shown = names.map((_, j) => j).filter((j) => box.querySelectorAll('input')[j].checked);
          if (shown.length === 0) { tick.checked = true; shown = [k]; }
          draw();
        };
        label.append(' ' + name);
      });
    }
    $('in').onclick = () => { const w = to - from; zoom(from + w / 4, to - w / 4); };
    $('out').onclick = () => { const w = to - from; zoom(from - w / 2, to + w / 2); };
    $('all').onclick = () => zoom(start, end);
    $('page-back').onclick = () => { --page; table(); };
    $('page-next').onclick = () => { ++page; table(); };
    const key = $('key');
    const entry = (draw_, text) => {
      const item = html('li', key);
      draw_(element('svg', { viewBox: '0 0 26 14', 'aria-hidden': 'true' }, item));
      item.append(text);
    };
    entry((svg) => element('path', { class: 'curve', d: 'M1 7L25 7' }, svg), 'solution');
    if (data.bands.length) entry((svg) => {
      element('rect', { class: 'band', width: 26, height: 14 }, svg);
      element('path', { class: 'slide', d: 'M1 7L25 7' }, svg);
    }, data.modes.some((mode) => mode.length > 1) ? 'sliding on any surface' : 'sliding');
    if (data.levels.length || data.lines.length) entry((svg) => element('path', { class: 'zero', d: 'M1 7L25 7' }, svg), 'surface');
    const present = new Set(events.map(shapeOf));
    for (const shape in groups) {
      if (present.has(shape)) entry((svg) => element('path', { class: eventClass(shape), d: shapePath(shape, 13, 7, 5) }, svg), groups[shape]);
    }
  }
  document.body.classList.add('ready');
  if (portrait) { $('pictures').className = 'with-portrait'; plane.hidden = false; }
  controls();
  draw();
  if (events.length) table();
  let waiting = null;
  window.addEventListener('resize', () => { clearTimeout(waiting); waiting = setTimeout(draw, 80); });
  // A page of paper has its own width.
  window.addEventListener('beforeprint', draw);
}());
