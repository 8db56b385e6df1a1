// Runs beside each other: one that was kept lies under the picture of the next ones, and a table tells how far methods and tolerances agree.
import { programOf } from '../engine/picture.mjs';

const ways = [{}, { method: 'bdf' }, { method: 'adams' }, { method: 'dopri5' }, { method: 'dop853', rtol: 1e-9 }, { method: 'rodas' }];

export function compareView(host, page) {
  host.innerHTML = `<p>Keep this run, and change something: the picture shows both.</p>
<p class="buttons"><button type="button" id="keep">keep this run</button> <button type="button" id="forget" disabled>forget it</button></p>
<div id="kept-table"></div>
<p>Or follow the model by every method, to see whether the solution depends on how it is computed.</p>
<p class="buttons"><button type="button" id="by-methods">compare methods</button> <span id="compare-state" role="status"></span></p><div id="method-table" class="scroll" role="region" tabindex="0" aria-label="methods"></div>`;
  const find = (id) => host.querySelector('#' + id);
  let shown = null;
  const table = (box, head, rows) => {
    const made = document.createElement('table');
    const line = made.createTHead().insertRow();
    for (const text of head) { const cell = document.createElement('th'); cell.scope = 'col'; cell.textContent = text; line.append(cell); }
    const body = made.createTBody();
    for (const row of rows) { const at = body.insertRow(); row.forEach((text, k) => { const cell = at.insertCell(); cell.textContent = text; if (k > 0) cell.className = 'n'; }); }
    box.replaceChildren(made);
  };
  const digits = (value, n = 10) => (Number.isFinite(value) ? String(Number(value.toPrecision(n))) : '');
  const finalOf = (run) => {
    run.program ??= programOf(run.picture, document);
    const { X, T } = run.program;
    return X.map((x) => x[T.length - 1]);
  };
  const compareKept = () => {
    if (!page.kept || !shown) { find('kept-table').replaceChildren(); return; }
    const before = finalOf(page.kept.run), after = finalOf(shown), names = shown.program.names;
    table(find('kept-table'), ['', 'kept', 'now'], [['events', page.kept.run.events, shown.events], ['end', digits(page.kept.run.to), digits(shown.to)],
      ...names.map((name, k) => [`${name} at the end`, digits(before[page.kept.run.program.names.indexOf(name)] ?? NaN), digits(after[k])])]);
  };
  find('keep').onclick = () => {
    const run = shown;
    run.program ??= programOf(run.picture, document);
    const of = run.program;
    page.kept = {
      run,
      drawUnder(inside, program, across, up, px, py) {
        const place = (k) => (k === program.TIME ? program.TIME : of.names.indexOf(program.names[k]));
        const a = place(across), u = place(up);
        if (u < 0 || a < program.TIME) return;
        const columns = 1200, samples = withView(of, program.view, () => of.visible(columns, [a, u].filter((k) => k !== program.TIME)));
        const value = (k, at) => (i) => { const v = k === program.TIME ? of.T[i] : of.X[k][i]; return v === null ? null : at(v); };
        const path = withView(of, program.view, () => of.paths(samples, value(a, px), value(u, py)).whole);
        program.element('path', { class: 'kept', d: path }, inside);
      }
    };
    find('forget').disabled = false;
    compareKept();
  };
  // The kept run is drawn in the window of the present one.
  const withView = (of, view, action) => {
    const own = [of.view.from, of.view.to];
    [of.view.from, of.view.to] = [view.from, view.to];
    try { return action(); } finally { [of.view.from, of.view.to] = own; }
  };
  const forget = () => { page.kept = null; find('forget').disabled = true; compareKept(); };
  find('forget').onclick = forget;
  find('by-methods').onclick = async () => {
    const base = page.request(), rows = [];
    let states = [];
    find('compare-state').textContent = 'running';
    try {
      for (const way of ways) {
        const options = { ...base.options, ...way };
        const { states: names, rows: [row] } = await page.engine.ask('sweep', { ...base, options, parameter: page.described.initial[0].name,
          values: [base.set[page.described.initial[0].name] ?? page.described.initial[0].value] });
        states = names;
        rows.push([(way.method ?? 'of the model') + (way.rtol ? ` rtol ${way.rtol}` : ''), row.status.replace(/_/g, ' '), row.events, digits(row.t), ...row.final.slice(0, 8).map((x) => digits(x))]);
      }
      table(find('method-table'), ['method', 'outcome', 'events', 'end', ...states.slice(0, 8)], rows);
      find('compare-state').textContent = '';
    } catch (error) {
      find('compare-state').textContent = error.message;
    }
  };
  return { show(run) { shown = run; compareKept(); }, forget };
}
