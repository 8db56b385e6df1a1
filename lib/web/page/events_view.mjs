// The events with their reasons.
import { programOf } from '../engine/picture.mjs';

const perPage = 200;

export function eventsView(host) {
  let first = 0, of = null;
  const cellOf = (row, text, className) => {
    const cell = row.insertCell();
    cell.textContent = text;
    if (className) cell.className = className;
  };
  const draw = (program) => {
    const { events, data } = program;
    host.replaceChildren();
    if (events.length === 0) { host.textContent = 'This run has no events.'; return; }
    if (events.length > perPage) {
      const bar = document.createElement('div');
      bar.className = 'bar';
      const button = (text, to) => {
        const made = document.createElement('button');
        made.type = 'button';
        made.textContent = text;
        made.disabled = to < 0 || to >= events.length;
        made.onclick = () => { first = to; draw(program); };
        bar.append(made);
      };
      button('earlier', first - perPage);
      bar.append(`${first + 1} to ${Math.min(events.length, first + perPage)} of ${events.length}` + (data.gap ? `, ${data.gap.count} between them are not listed` : ''));
      button('later', first + perPage);
      host.append(bar);
    }
    const box = document.createElement('div');
    box.className = 'scroll';
    box.tabIndex = 0;
    box.setAttribute('role', 'region');
    box.setAttribute('aria-label', 'events');
    const table = document.createElement('table');
    table.id = 'events';
    const head = table.createTHead().insertRow();
    for (const text of ['t', 'event', 'where', 'mode', 'w−', 'w+', 'reason']) {
      const cell = document.createElement('th');
      cell.scope = 'col';
      cell.textContent = text;
      head.append(cell);
    }
    const body = table.createTBody();
    for (const event of events.slice(first, first + perPage)) {
      const row = body.insertRow();
      cellOf(row, program.number(event.t, 10), 'n');
      cellOf(row, program.kindText(event.kind), 'kind');
      cellOf(row, program.place(event));
      cellOf(row, program.change(event), 'mono');
      cellOf(row, event.w_minus?.length === 1 ? program.number(event.w_minus[0], 5) : '', 'n');
      cellOf(row, event.w_plus?.length === 1 ? program.number(event.w_plus[0], 5) : '', 'n');
      cellOf(row, event.reason, 'reason');
    }
    box.append(table);
    host.append(box);
  };
  return {
    show(run) {
      if (of !== run) { of = run; first = 0; }
      run.program ??= programOf(run.picture, document);
      draw(run.program);
    }
  };
}
