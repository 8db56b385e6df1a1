// What can be chosen, and the page as it is first seen.
function stateControls() {
  const box = $('states');
  if (names.length <= 1) { box.hidden = true; return; }
  names.forEach((name, k) => {
    const label = html('label', box);
    const tick = html('input', label);
    tick.type = 'checkbox';
    tick.checked = view.shown.includes(k);
    tick.onchange = () => {
      view.shown = names.map((_, j) => j).filter((j) => box.querySelectorAll('input')[j].checked);
      if (view.shown.length === 0) { tick.checked = true; view.shown = [k]; }
      arrange();
    };
    label.append(' ' + name);
  });
}
function portraitControls() {
  const across = $('portrait-across'), up = $('portrait-up');
  const option = (select, value, text) => { const made = html('option', select, text); made.value = value; };
  option(across, 'none', 'none');
  for (const k of [TIME, ...names.keys()]) {
    option(across, k, nameOf(k));
    option(up, k, nameOf(k));
  }
  across.value = view.portrait ? view.portrait.across : 'none';
  up.value = view.portrait ? view.portrait.up : Math.min(1, names.length - 1);
  const chosen_ = () => {
    up.disabled = across.value === 'none';
    view.portrait = up.disabled ? null : { across: Number(across.value), up: Number(up.value) };
    arrange();
  };
  across.onchange = up.onchange = chosen_;
  up.disabled = !view.portrait;
}
function key() {
  const list = $('key');
  const entry = (draw_, text) => {
    const item = html('li', list);
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
for (const before of ['', 'enlarged-']) {
  $(before + 'in').onclick = () => { const w = view.to - view.from; zoom(view.from + w / 4, view.to - w / 4); };
  $(before + 'out').onclick = () => { const w = view.to - view.from; zoom(view.from - w / 2, view.to + w / 2); };
  $(before + 'all').onclick = () => zoom(start, end);
}
$('enlarged-close').onclick = () => enlarged.close();
$('save-curves').onclick = saveCurves;
$('page-back').onclick = () => { --page; table(); };
$('page-next').onclick = () => { ++page; table(); };
stateControls();
portraitControls();
key();
setUpSlider();
arrange();
if (events.length) table();
let waiting = null;
window.addEventListener('resize', () => { clearTimeout(waiting); waiting = setTimeout(draw, 80); });
// A page of paper has its own width.
window.addEventListener('beforeprint', draw);
window.addEventListener('afterprint', draw);
