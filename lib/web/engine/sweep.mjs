// The table and the picture of runs along one parameter.
//
// It must not know how the runs were made: a row has the value, the status, the time of the end, the number of events and the final states.
import { programOf } from './picture.mjs';

const cell = (text) => (/[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text);

export function sweepTable(parameter, states, rows) {
  const lines = [['run', parameter, 'status', 't', 'events', ...states.map((name) => 'final_' + name)].map(cell).join(',')];
  rows.forEach((row, k) => lines.push([k, row.value, row.status, row.t, row.events, ...row.final].join(',')));
  return lines.join('\n') + '\n';
}

/** The quantities of rows: "events", or the name of a state for its final value. */
export const sweepValues = (quantity, states, rows) =>
  rows.map((row) => (quantity === 'events' ? row.events : row.final[states.indexOf(quantity)]));

// The program of the report draws a quantity over "t", which is the parameter here.
export function sweepData(parameter, states, rows, show) {
  const names = show ?? states.slice(0, 4);
  const sorted = rows.slice().sort((a, b) => a.value - b.value);
  return JSON.stringify({
    model: parameter, start: sorted[0]?.value ?? 0, end: sorted.at(-1)?.value ?? 1, solved: sorted.at(-1)?.value ?? 1,
    shown: names.map((_, k) => k), portrait: null,
    curves: { names, breaks: [], t: sorted.map((row) => row.value), x: names.map((name) => sweepValues(name, states, sorted).map((x) => (Number.isFinite(x) ? x : null))) },
    bands: [], modes: [''], locations: [''], segments: { t: [], mode: [], slides: [], location: null }, levels: [], lines: [], gap: null, events: [],
    between: []
  });
}

export function sweepPicture(parameter, states, rows, { show, width = 800 } = {}) {
  const program = programOf(sweepData(parameter, states, rows, show));
  const height = 200, gap = 6, head = 34;
  const parts = program.view.shown.map((k, row) => {
    const host = { appendChild(svg) { this.svg = svg; } };
    program.panel(host, program.TIME, k, {}).draw(width, height);
    Object.assign(host.svg.attributes, { x: 0, y: head + row * (height + gap) });
    return String(host.svg).replace(/>t<\/tspan>/, `>${parameter.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</tspan>`);
  });
  const total = head + parts.length * (height + gap);
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${total}" width="${width}" height="${total}">
<style>svg{font-family:"DejaVu Sans",system-ui,sans-serif;font-size:12px}text{fill:#1b1f24}.ground{fill:#fff}.axis{stroke:#a3abb5;fill:none}.grid{stroke:#edf0f3}.curve{stroke:#0072B2;stroke-width:1.6;fill:none}.live{display:none}</style>
<rect width="100%" height="100%" fill="#fff"/><text x="14" y="22" font-size="16" font-weight="600">the end of the run by ${parameter}</text>
${parts.join('\n')}
</svg>
`;
}
