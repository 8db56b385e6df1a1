// A panel: a drawing of one quantity over another, with its axes, its curve, the surfaces and the marks of events. Over time
// it can be dragged and pointed at. It lays out what it holds; which panels there are is the concern of panels.js.
let panelCount = 0;
function panel(host, across, up, hooks) {
  const id = (hooks.prefix || 'clip-') + (++panelCount);
  const overTime = across === TIME;
  const self = { host, across, up, svg: null, marks: [] };
  let left, right, top, bottom, px, py, cursor, dot, overlay, total;

  self.draw = (width, height) => {
    const samples = overTime ? visible(Math.max(100, Math.floor(width)), [up]) : visible(2400, [across, up]);
    const [xl, xh] = extent(across, samples), [yl, yh] = extent(up, samples);
    top = 24;
    bottom = height - 22;
    const upward = axis(yl, yh, bottom - top, true);
    left = Math.max(30, 14 + 7.2 * Math.max(...upward.ticks.map((tick) => tick.text.length)));
    // Panels that stand below each other begin at the same place, unless one needs more.
    left = Math.max(left, overTime ? 50 : 40);
    right = width - 14;
    total = { width, height };
    px = (v) => left + (v - xl) / (xh - xl) * (right - left);
    py = (v) => bottom - (v - yl) / (yh - yl) * (bottom - top);
    self.t = (x) => view.from + (x - left) / (right - left) * (view.to - view.from);
    const before = self.svg;
    const svg = element('svg', { viewBox: '0 0 ' + width + ' ' + height, width, height, tabindex: 0, role: 'img',
      'aria-label': overTime ? nameOf(up) + ' over time from ' + number(view.from, 5) + ' to ' + number(view.to, 5)
        : 'Phase portrait of ' + nameOf(across) + ' and ' + nameOf(up) });
    if (before) before.replaceWith(svg); else host.appendChild(svg);
    self.svg = svg;
    const clip = element('clipPath', { id }, element('defs', {}, svg));
    element('rect', { x: left, y: top, width: right - left, height: bottom - top }, clip);
    const inside = element('g', { 'clip-path': 'url(#' + id + ')' }, svg);
    element('rect', { class: 'ground', x: left, y: top, width: right - left, height: bottom - top }, inside);
    if (overTime) bands(inside);
    axes(svg, inside, axis(xl, xh, right - left, false), upward);
    surfaces(inside);
    // hooks.under lets another page draw below the curve.
    if (hooks.under) hooks.under(inside, across, up, px, py);
    const value = (k, place_) => (i) => { const v = sample(k, i); return v === null ? null : place_(v); };
    const path = paths(samples, value(across, px), value(up, py));
    element('path', { class: 'curve', d: path.whole }, inside);
    if (path.slide) element('path', { class: 'slide', d: path.slide }, inside);
    element('rect', { class: 'axis', x: left, y: top, width: right - left, height: bottom - top }, svg);
    marks(element('g', {}, svg));
    overlay = element('g', { class: 'live' }, svg);
    cursor = element('line', { class: 'cursor', y1: top, y2: bottom, x1: -10, x2: -10, visibility: 'hidden' }, overlay);
    dot = element('circle', { class: 'dot', r: overTime ? 4 : 5, cx: -10, cy: -10, visibility: 'hidden' }, overlay);
    self.highlight();
    listen();
  };

  function bands(inside) {
    const { from, to } = view;
    data.bands.forEach(([a, b]) => {
      if (b < from || a > to) return;
      element('rect', { class: 'band', x: px(Math.max(a, from)).toFixed(1), y: top,
        width: Math.max(0.5, px(Math.min(b, to)) - px(Math.max(a, from))).toFixed(1), height: bottom - top }, inside);
    });
  }
  function axes(svg, inside, along, upward) {
    for (const tick of upward.ticks) {
      element('line', { class: 'grid', x1: left, x2: right, y1: py(tick.value), y2: py(tick.value) }, inside);
      element('text', { class: 'tick y', x: left - 7, y: py(tick.value) + 4, 'text-anchor': 'end' }, svg, tick.text);
    }
    for (const tick of along.ticks) {
      const x = px(tick.value), half = 3.5 * tick.text.length;
      element('line', { class: 'grid', x1: x, x2: x, y1: top, y2: bottom }, inside);
      element('text', { class: 'tick x', x: Math.max(half, Math.min(total.width - half, x)), y: bottom + 16, 'text-anchor': 'middle' },
        svg, tick.text);
    }
    // Names beside the axes would take room from curves on a narrow screen.
    const head = element('text', { class: 'head', x: left, y: 15 }, svg);
    element('tspan', { 'font-weight': 600 }, head, fitted(nameOf(up), right - left - 160));
    if (upward.note) element('tspan', { class: 'note', dx: 8 }, head, upward.note);
    const foot = element('text', { class: 'foot', x: right - 6, y: bottom - 6, 'text-anchor': 'end' }, svg);
    element('tspan', { 'font-weight': 600 }, foot, fitted(nameOf(across), right - left - 120));
    if (along.note) element('tspan', { class: 'note', dx: 6 }, foot, along.note);
  }
  function surfaces(inside) {
    for (const level of data.levels) {
      if (level.state === up) element('line', { class: 'zero', x1: left, x2: right, y1: py(level.value), y2: py(level.value) }, inside);
      if (level.state === across) element('line', { class: 'zero', y1: top, y2: bottom, x1: px(level.value), x2: px(level.value) }, inside);
    }
    for (const line of data.lines) {
      const isHere = line.across === across && line.up === up, isTurned = line.across === up && line.up === across;
      if (!isHere && !isTurned) continue;
      const point = (a, b) => isHere ? px(a).toFixed(1) + ' ' + py(b).toFixed(1) : px(b).toFixed(1) + ' ' + py(a).toFixed(1);
      element('path', { class: 'zero whole', d: line.pieces.map((l) => 'M' + point(l[0], l[1]) + 'L' + point(l[2], l[3])).join('') }, inside);
    }
  }
  function placeOf(one) {
    const x = px(eventValue(one.event, across)), y = py(eventValue(one.event, up));
    if (!isFinite(x) || !isFinite(y)) return null;
    return { event: one.event, i: one.i, x: Math.max(left, Math.min(right, x)), y: Math.max(top, Math.min(bottom, y)) };
  }
  function mark(at, r, parent, more) {
    const shape = shapeOf(at.event);
    const made = element('path', { class: eventClass(shape) + (more || ''), d: shapePath(shape, at.x, at.y, r) }, parent);
    if (at.i >= 0) made.setAttribute('data-event', at.i);
    element('title', {}, made, kindText(at.event.kind) + ' at t = ' + number(at.event.t, 10));
  }
  function marks(parent) {
    const list = drawn(right - left);
    const r = radius(list.length, right - left);
    self.count = list.length;
    const places = list.map(placeOf).filter((at) => at !== null);
    for (const at of places) mark(at, r, parent);
    self.marks = places.filter((at) => at.i >= 0);
  }

  // The chosen event: a line at its time, and its mark, which may be one of those left out.
  self.highlight = () => {
    for (const old of overlay.querySelectorAll('.chosen, .at-event')) old.remove();
    if (view.chosen < 0 || events[view.chosen].t < view.from || events[view.chosen].t > view.to) return;
    const at = placeOf({ event: events[view.chosen], i: view.chosen });
    if (overTime) {
      const x = px(events[view.chosen].t);
      element('line', { class: 'at-event', x1: x, x2: x, y1: top, y2: bottom }, overlay);
    }
    if (at) mark(at, 7, overlay, ' chosen');
  };
  self.showAt = (t, state) => {
    if (overTime) {
      cursor.setAttribute('x1', px(t));
      cursor.setAttribute('x2', px(t));
      cursor.setAttribute('visibility', 'visible');
    }
    const value = (k) => k === TIME ? t : state[k];
    if (value(up) === null || value(across) === null) return;
    dot.setAttribute('cx', px(value(across)));
    dot.setAttribute('cy', py(value(up)));
    dot.setAttribute('visibility', 'visible');
  };
  self.hide = () => { for (const part of [cursor, dot]) if (part) part.setAttribute('visibility', 'hidden'); };

  // ---- pointer and keys ----
  function local(event) {
    const box = self.svg.getBoundingClientRect();
    const scale = box.width / total.width || 1;
    return { x: (event.clientX - box.left) / scale, y: (event.clientY - box.top) / scale };
  }
  function nearest(point) {
    let best = -1, distance = 12;
    for (const at of self.marks) {
      const d = Math.hypot(at.x - point.x, at.y - point.y);
      if (d < distance) { distance = d; best = at.i; }
    }
    return best;
  }
  const within = (x) => Math.max(left, Math.min(right, x));
  function listen() {
    const svg = self.svg;
    let pressedAt = null, brush = null;
    svg.addEventListener('keydown', hooks.keyed);
    svg.addEventListener('pointerleave', hooks.left);
    svg.addEventListener('pointerup', (event) => {
      const point = local(event), began = pressedAt;
      pressedAt = null;
      if (brush) {
        brush.remove();
        brush = null;
        if (Math.abs(point.x - began) > 4) {
          const a = self.t(began), b = self.t(within(point.x));
          hooks.zoom(Math.min(a, b), Math.max(a, b));
          return;
        }
      }
      const hit = nearest(point);
      if (hit >= 0) hooks.choose(hit);
    });
    if (!overTime) return;
    svg.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      pressedAt = within(local(event).x);
      try { svg.setPointerCapture(event.pointerId); } catch (ignored) { /* a pointer made by a script */ }
    });
    svg.addEventListener('pointercancel', () => { pressedAt = null; if (brush) brush.remove(); brush = null; });
    svg.addEventListener('pointermove', (event) => {
      const point = local(event);
      if (pressedAt !== null && Math.abs(point.x - pressedAt) > 4) {
        if (!brush) brush = element('rect', { class: 'brush', y: top, height: bottom - top }, overlay);
        brush.setAttribute('x', Math.min(within(point.x), pressedAt));
        brush.setAttribute('width', Math.abs(within(point.x) - pressedAt));
      }
      const t = Math.max(view.from, Math.min(view.to, self.t(point.x)));
      if (point.x < left - 6 || point.x > right + 6 || t > data.solved) hooks.left(); else hooks.pointed(t, event, self);
    });
    svg.addEventListener('wheel', (event) => {
      // Only with a key held, or once the panel has the focus: the page must scroll.
      if (!event.ctrlKey && !event.shiftKey && document.activeElement !== svg) return;
      event.preventDefault();
      const t = self.t(local(event).x), factor = Math.exp(0.0016 * (event.deltaY || event.deltaX));
      hooks.zoom(t - (t - view.from) * factor, t + (view.to - t) * factor);
    }, { passive: false });
    svg.addEventListener('dblclick', () => hooks.zoom(start, end));
  }
  return self;
}
