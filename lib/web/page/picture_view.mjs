// The picture: panels over time and the phase portrait, by the program of the report page.
import { programOf } from '../engine/picture.mjs';

const $ = (id) => document.getElementById(id);

export function pictureView(page) {
  // The chosen panels are kept by their names, so that they outlive a change of the model.
  const chosen = { shown: null, portrait: undefined, names: '', span: null, window: null };
  let program = null;

  const panelsIn = (host, pairs, size) => {
    host.replaceChildren();
    return pairs.map(([across, up]) => {
      const figure = document.createElement('figure');
      host.append(figure);
      const one = program.panel(figure, across, up, hooks);
      one.draw(...size(figure));
      return one;
    });
  };
  let panels = [];
  const hooks = {
    under: (inside, across, up, px, py) => page.kept?.drawUnder(inside, program, across, up, px, py),
    choose: (i) => {
      program.view.chosen = program.view.chosen === i ? -1 : i;
      for (const one of panels) one.highlight();
      const event = program.events[program.view.chosen];
      $('pointed').textContent = event ? `${program.kindText(event.kind)} at t = ${program.number(event.t, 9)}: ${event.reason}` : '\u00a0';
    },
    zoom: (from, to) => {
      const { start, end } = program;
      chosen.window = from <= start && to >= end ? null : [Math.max(start, from), Math.min(end, to)];
      draw();
    },
    pointed: (t) => {
      const state = program.stateAt(t);
      for (const one of panels) one.showAt(t, state);
      const mode = program.modeAt(t);
      $('pointed').textContent = `t = ${program.number(t, 6)}` + (mode?.word ? `  mode ${mode.word.slice(0, 40)}${mode.slides ? ' sliding' : ''}` : '') +
        (mode?.location ? `  in ${mode.location}` : '') + program.view.shown.map((k) => `  ${program.names[k]} = ${program.number(state[k], 6)}`).join('');
    },
    left: () => { for (const one of panels) one.hide(); },
    keyed: (event) => {
      const { from, to } = program.view, width = to - from;
      const moves = { ArrowLeft: [-0.2, -0.2], ArrowRight: [0.2, 0.2], '+': [0.2, -0.2], '=': [0.2, -0.2], '-': [-0.34, 0.34] };
      if (event.key in moves) hooks.zoom(from + moves[event.key][0] * width, to + moves[event.key][1] * width);
      else if (event.key === '0' || event.key === 'Escape') hooks.zoom(program.start, program.end);
      else return;
      event.preventDefault();
    }
  };

  function draw() {
    const { view, names, TIME } = program;
    view.shown = (chosen.shown ?? []).map((name) => names.indexOf(name)).filter((k) => k >= 0);
    const portrait = chosen.portrait?.map((name) => (name === 't' ? TIME : names.indexOf(name)));
    view.portrait = portrait && portrait.every((k) => k >= TIME) ? { across: portrait[0], up: portrait[1] } : null;
    if (chosen.window && chosen.window[0] < program.end) [view.from, view.to] = chosen.window;
    else { view.from = program.start; view.to = program.end; }
    const focus = document.activeElement?.closest?.('figure');
    const place = focus ? [...document.querySelectorAll('#pictures figure')].indexOf(focus) : -1;
    $('portrait').hidden = !view.portrait;
    $('pictures').className = view.portrait ? 'with-portrait' : '';
    const height = Math.round(Math.max(100, Math.min(190, 520 / Math.max(view.shown.length, 2)))) + 46;
    const width = $('time-picture').clientWidth || 600, side = $('portrait').clientWidth || 380;
    panels = [
      ...panelsIn($('time-picture'), view.shown.map((k) => [TIME, k]), () => [width, height]),
      ...panelsIn($('portrait'), view.portrait ? [[view.portrait.across, view.portrait.up]] : [],
        () => [side, Math.round(Math.max(260, Math.min(540, side * 0.95)))])
    ];
    if (place >= 0) document.querySelectorAll('#pictures figure')[place]?.querySelector('svg')?.focus({ preventScroll: true });
    const isWhole = view.from <= program.start && view.to >= program.end;
    $('whole').disabled = isWhole;
    $('range').textContent = `t = ${program.number(view.from, 6)} … ${program.number(view.to, 6)}`;
  }

  function controls() {
    const { names, data } = program;
    const box = $('shown'), legend = box.querySelector('legend');
    box.replaceChildren(legend);
    names.forEach((name) => {
      const label = document.createElement('label'), tick = document.createElement('input');
      tick.type = 'checkbox';
      tick.checked = chosen.shown.includes(name);
      tick.onchange = () => {
        chosen.shown = names.filter((one) => (one === name ? tick.checked : chosen.shown.includes(one)));
        draw();
      };
      label.append(tick, ' ' + name);
      box.append(label);
    });
    const across = $('across'), up = $('up');
    for (const select of [across, up]) select.replaceChildren();
    const option = (select, name) => { const made = document.createElement('option'); made.value = made.textContent = name; select.append(made); };
    option(across, 'none');
    for (const name of ['t', ...names]) { option(across, name); option(up, name); }
    across.value = chosen.portrait?.[0] ?? 'none';
    up.value = chosen.portrait?.[1] ?? names[Math.min(1, names.length - 1)];
    across.onchange = up.onchange = () => {
      chosen.portrait = across.value === 'none' ? null : [across.value, up.value];
      draw();
    };
  }
  function key() {
    const list = $('key');
    list.replaceChildren();
    const entry = (text, draw_) => {
      const item = document.createElement('li');
      draw_(program.element('svg', { viewBox: '0 0 26 14', 'aria-hidden': 'true' }, item));
      item.append(text);
      list.append(item);
    };
    entry('solution', (svg) => program.element('path', { class: 'curve', d: 'M1 7L25 7' }, svg));
    if (page.kept) entry('the run that was kept', (svg) => program.element('path', { class: 'kept', d: 'M1 7L25 7' }, svg));
    if (program.data.bands.length) entry('sliding', (svg) => {
      program.element('rect', { class: 'band', width: 26, height: 14 }, svg);
      program.element('path', { class: 'slide', d: 'M1 7L25 7' }, svg);
    });
    if (program.data.levels.length || program.data.lines.length)
      entry('surface', (svg) => program.element('path', { class: 'zero', d: 'M1 7L25 7' }, svg));
    const present = new Set(program.events.map(program.shapeOf));
    for (const [shape, text] of Object.entries(program.groups))
      if (present.has(shape)) entry(text, (svg) => program.element('path', { class: program.eventClass(shape), d: program.shapePath(shape, 13, 7, 5) }, svg));
  }
  $('whole').onclick = () => hooks.zoom(program.start, program.end);

  return {
    show(run) {
      if (run.program === undefined) run.program = programOf(run.picture, document);
      program = run.program;
      const { names, data, view } = program;
      if (chosen.names !== names.join()) {
        chosen.names = names.join();
        chosen.shown = data.shown.map((k) => names[k]);
        chosen.portrait = data.portrait ? data.portrait.map((k) => names[k]) : null;
        chosen.window = null;
        controls();
      }
      if (chosen.span !== String([data.start, data.end])) {
        chosen.span = String([data.start, data.end]);
        chosen.window = null;
      }
      draw();
      key();
    }
  };
}
