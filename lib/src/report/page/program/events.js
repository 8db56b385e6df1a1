// The chosen event: in the slider, in all panels, in the table, and its classification in words and numbers.
const perPage = 100;
let page = 0;

// −1 for none.
function choose(i) {
  view.chosen = i;
  const event = events[i];
  if (event && (event.t < view.from || event.t > view.to)) {
    const width = view.to - view.from;
    view.from = Math.max(start, Math.min(end - width, event.t - width / 2));
    view.to = view.from + width;
    draw();
  } else for (const one of allPanels()) one.highlight();
  slide();
  if (event && Math.floor(i / perPage) !== page) { page = Math.floor(i / perPage); table(); }
  markRow();
  detail();
}

// ---- the slider ----
// Its first place is no event, so that one event alone can be come to and left.
function slide() {
  const slider = $('event-slider'), told = $('event-told');
  const event = events[view.chosen];
  slider.value = view.chosen + 1;
  $('event-back').disabled = view.chosen < 0;
  $('event-next').disabled = view.chosen + 1 >= events.length;
  told.innerHTML = '';
  if (!event) {
    const text = events.length ? 'none of ' + events.length + ' chosen' : 'this run has no events';
    html('span', told, text, 'faint');
    slider.setAttribute('aria-valuetext', text);
    return;
  }
  const title = (view.chosen + 1) + ' of ' + events.length + ': ' + kindText(event.kind) + ' at t = ' + number(event.t, 10);
  html('b', told, title);
  const line = html('span', told, undefined, 'modes');
  const side = (name, mode, location) => {
    html('span', line, ' ' + name + ' ', 'faint');
    html('span', line, (mode === null && !location ? 'none' : mode === null ? '' : short(mode)) + (location ? (mode ? ' in ' : '') + location : ''), 'mono');
  };
  side('mode before', event.from, event.from_location);
  side('after', event.to, event.to_location);
  html('span', told, event.reason, 'why');
  slider.setAttribute('aria-valuetext', title);
}
function setUpSlider() {
  const slider = $('event-slider');
  slider.max = events.length;
  slider.value = 0;
  slider.disabled = events.length === 0;
  slider.oninput = () => choose(Number(slider.value) - 1);
  $('event-back').onclick = () => choose(view.chosen - 1);
  $('event-next').onclick = () => choose(view.chosen + 1);
  slide();
}

// ---- its classification ----
function detail() {
  const box = $('detail'), i = view.chosen, event = events[i];
  box.hidden = !event;
  box.innerHTML = '';
  if (!event) return;
  const bar = html('div', box, undefined, 'navigate');
  button(bar, 'zoom in', '', () => {
    const width = (view.to - view.from) / 8;
    zoom(event.t - width / 2, event.t + width / 2);
  });
  html('h3', box, kindText(event.kind) + (place(event) ? ' · ' + place(event) : '') + ' · t = ' + number(event.t, 15));
  html('p', box, event.reason, 'reason');
  const facts = html('div', box, undefined, 'facts');
  const classification = html('table', html('div', facts, undefined, 'scroll'));
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
  if (event.continuations && event.continuations.length) row('continuations', withMinus(event.continuations.join('   ')));
  if (event.in_convex_hull && event.in_convex_hull.length) row('in the convex hull', withMinus(event.in_convex_hull.join('   ')));
  const states = html('table', html('div', facts, undefined, 'scroll'));
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

// ---- the table ----
function table() {
  const body = $('events').tBodies[0];
  body.innerHTML = '';
  const first = page * perPage;
  events.slice(first, first + perPage).forEach((event, n) => {
    const i = first + n;
    const row = html('tr', body);
    row.tabIndex = 0;
    row.dataset.row = i;
    html('td', row, number(event.t, 10), 'n');
    const kind = html('td', row, undefined, 'kind');
    const icon = element('svg', { width: 16, height: 14, 'aria-hidden': 'true' }, kind);
    element('path', { class: eventClass(shapeOf(event)), d: shapePath(shapeOf(event), 7, 7, 4.5) }, icon);
    kind.append(' ' + kindText(event.kind));
    html('td', row, place(event));
    html('td', row, change(event), 'mono');
    html('td', row, event.w_minus.slice(0, 3).map((w) => number(w, 4)).join(' '), 'n');
    html('td', row, event.w_plus.slice(0, 3).map((w) => number(w, 4)).join(' '), 'n');
    html('td', row, event.reason, 'reason');
    row.onclick = () => choose(i);
    row.onkeydown = (key) => { if (key.key === 'Enter' || key.key === ' ') { key.preventDefault(); choose(i); } };
    if (data.gap && i + 1 === data.gap.after) {
      const cell_ = html('td', html('tr', body), '… ' + data.gap.count + ' events are left out of this page …', 'faint');
      cell_.colSpan = 7;
    }
  });
  const pages = Math.ceil(events.length / perPage);
  $('pages').hidden = pages <= 1;
  $('page-text').textContent = 'events ' + (first + 1) + ' to ' + Math.min(first + perPage, events.length) + ' of ' + events.length;
  $('page-back').disabled = page === 0;
  $('page-next').disabled = page + 1 >= pages;
  markRow();
}
// The row is brought into sight within the table: the page itself stays where it is.
function markRow() {
  const body = $('events').tBodies[0];
  for (const row of body.querySelectorAll('.chosen')) { row.classList.remove('chosen'); row.removeAttribute('aria-selected'); }
  const row = body.querySelector('tr[data-row="' + view.chosen + '"]');
  if (!row) return;
  row.classList.add('chosen');
  row.setAttribute('aria-selected', 'true');
  const box = row.closest('.scroll'), head = $('events').tHead.offsetHeight;
  const above = row.offsetTop - head - box.scrollTop, below = row.offsetTop + row.offsetHeight - box.scrollTop - box.clientHeight;
  if (above < 0) box.scrollTop += above; else if (below > 0) box.scrollTop += below;
}
