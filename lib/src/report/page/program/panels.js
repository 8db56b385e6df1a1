// Which panels there are: one per quantity shown, the phase portrait, and the one enlarged over the window. What happens in one
// of them is seen in all.
const panels = { time: [], portrait: null, enlarged: null };
const allPanels = () => [...panels.time, panels.portrait, panels.enlarged].filter((one) => one);
const hover = $('hover');
const enlarged = $('enlarged');

const hooks = {
  choose: (i) => choose(i),
  zoom,
  pointed: (t, event, of) => {
    const state = stateAt(t);
    for (const one of allPanels()) one.showAt(t, state);
    tell(t, state, event, of);
  },
  left: () => {
    hover.style.display = 'none';
    for (const one of allPanels()) one.hide();
  },
  keyed: (event) => {
    const { from, to } = view, width = to - from;
    const moves = { ArrowLeft: [-0.2, -0.2], ArrowRight: [0.2, 0.2], '+': [0.2, -0.2], '=': [0.2, -0.2], '-': [-0.34, 0.34] };
    if (event.key in moves) {
      const [a, b] = moves[event.key];
      const shift = a === b ? Math.max(start - from, Math.min(end - to, a * width)) : null;
      zoom(from + (shift === null ? a * width : shift), to + (shift === null ? b * width : shift));
    } else if (event.key === '0' || (event.key === 'Escape' && !enlarged.open)) zoom(start, end);
    else return;
    event.preventDefault();
  }
};

// Time, mode and states beside the pointer.
function tell(t, state, event, of) {
  const mode = modeAt(t);
  hover.innerHTML = '';
  html('b', html('div', hover), 't = ' + number(t, 7));
  if (mode && (mode.word || mode.location)) {
    const line = html('div', hover, 'mode ');
    html('span', line, withMinus(mode.word).slice(0, 40) || '', 'mono');
    if (mode.slides) html('span', line, '  sliding');
    if (mode.location) html('span', line, '  in ' + mode.location);
  }
  view.shown.forEach((k) => html('div', hover, names[k] + ' = ' + number(state[k], 6)));
  // Nothing outside an open dialog is seen above it.
  (of.host.closest('dialog') || $('picture')).appendChild(hover);
  hover.style.display = 'block';
  const width = document.documentElement.clientWidth, room = width - event.clientX - 24;
  const x = room > hover.offsetWidth ? event.clientX + 16 : Math.max(4, event.clientX - 16 - hover.offsetWidth);
  hover.style.left = x + 'px';
  hover.style.top = Math.max(4, Math.min(window.innerHeight - hover.offsetHeight - 4, event.clientY - 20)) + 'px';
}

function zoom(a, b) {
  const least = 1e-12 * Math.max(Math.abs(start), Math.abs(end), end - start);
  a = Math.max(start, a);
  b = Math.min(end, b);
  if (!(b - a > least)) return;
  view.from = a;
  view.to = b;
  draw();
}

// A panel in its frame, with what can be done to it.
function frame(parent, across, up) {
  const figure = html('figure', parent);
  const one = panel(figure, across, up, hooks);
  const tools = html('div', figure, undefined, 'tools');
  const title = across === TIME ? nameOf(up) : nameOf(up) + ' over ' + nameOf(across);
  button(tools, 'SVG', 'save ' + title + ' as SVG', () => saveDrawing(one));
  const larger = button(tools, '⤢', 'enlarge ' + title, () => enlarge(one.across, one.up, title, larger));
  larger.className = 'enlarge';
  larger.setAttribute('aria-haspopup', 'dialog');
  larger.setAttribute('aria-expanded', 'false');
  return one;
}

function enlarge(across, up, title, opener) {
  const body = $('enlarged-panel');
  body.innerHTML = '';
  $('enlarged-title').textContent = title;
  panels.enlarged = panel(body, across, up, hooks);
  opener.setAttribute('aria-expanded', 'true');
  // The slider goes with the panel, and comes back.
  const slider = $('slide'), home = slider.nextSibling;
  enlarged.appendChild(slider);
  enlarged.onclose = () => {
    panels.enlarged = null;
    home.parentNode.insertBefore(slider, home);
    opener.setAttribute('aria-expanded', 'false');
    hooks.left();
    draw();
  };
  $('enlarged-save').onclick = () => saveDrawing(panels.enlarged);
  enlarged.showModal();
  draw();
}

// Makes the panels anew where other quantities are to be shown.
function arrange() {
  hooks.left();
  const time = $('time-picture');
  if (panels.time.map((one) => one.up).join() !== view.shown.join()) {
    time.innerHTML = '';
    panels.time = view.shown.map((k) => frame(time, TIME, k));
  }
  const plane = $('portrait'), portrait = view.portrait;
  if (!portrait || !panels.portrait || panels.portrait.across !== portrait.across || panels.portrait.up !== portrait.up) {
    plane.innerHTML = '';
    panels.portrait = portrait ? frame(plane, portrait.across, portrait.up) : null;
  }
  plane.hidden = !portrait;
  $('pictures').className = portrait ? 'with-portrait' : '';
  draw();
}

function draw() {
  // A drawing that is made anew loses the focus of the keys.
  const focused = allPanels().find((one) => one.svg && one.svg === document.activeElement);
  hooks.left();
  const height = Math.round(Math.max(100, Math.min(190, 520 / Math.max(view.shown.length, 2)))) + 46;
  const width = $('time-picture').clientWidth || 800;
  for (const one of panels.time) one.draw(width, height);
  if (panels.portrait) {
    const across = $('portrait').clientWidth || 420;
    panels.portrait.draw(across, Math.round(Math.max(300, Math.min(540, across * 0.95))));
  }
  if (panels.enlarged) {
    const room = $('enlarged-panel');
    panels.enlarged.draw(Math.max(200, room.clientWidth), Math.max(160, room.clientHeight));
  }
  if (focused) focused.svg.focus({ preventScroll: true });
  const isWhole = view.from <= start && view.to >= end;
  for (const id of ['out', 'all', 'enlarged-out', 'enlarged-all']) $(id).disabled = isWhole;
  // Of the events left out nobody knows how many are in a part of the run.
  const isAmong = data.gap && events[data.gap.after].t >= view.from && events[data.gap.after - 1].t <= view.to;
  const within = events.filter((event) => event.t >= view.from && event.t <= view.to).length + (isAmong && isWhole ? data.gap.count : 0);
  const count = panels.time.length ? panels.time[0].count : within;
  $('range').textContent = 't = ' + number(view.from, 6) + ' … ' + number(view.to, 6) +
    (isAmong && !isWhole ? ', ' + count + ' events drawn' : count < within ? ', ' + count + ' of ' + within + ' events drawn' : '');
}
