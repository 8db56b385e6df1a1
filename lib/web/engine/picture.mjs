// Pictures of a run as SVG, drawn by the program of the report page, with or without a browser.
//
// `reportProgram` is made of lib/src/report/page/program by build.mjs. It must not know the engine.
import { reportProgram } from 'report-program';

// PlainElement stands for an element of the page where there is no document: it becomes text.
class PlainElement {
  constructor(name) {
    this.name = name;
    this.attributes = {};
    this.children = [];
    this.textContent = '';
  }
  setAttribute(name, value) { this.attributes[name] = value; }
  getAttribute(name) { return this.attributes[name] ?? null; }
  appendChild(child) { this.children.push(child); return child; }
  addEventListener() {}
  querySelectorAll() { return []; }
  remove() {}
  toString() {
    const escaped = (value) => String(value).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
    const attributes = Object.entries(this.attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`).join('');
    return `<${this.name}${attributes}>${escaped(this.textContent)}${this.children.join('')}</${this.name}>`;
  }
}

const plainDocument = (text) => ({
  getElementById: (id) => (id === 'data' ? { textContent: text } : null),
  createElementNS: (_, name) => new PlainElement(name),
  createElement: (name) => new PlainElement(name)
});

/** The program of the report for these data; with a browser's document its panels can be pointed at. */
export function programOf(text, document = null) {
  const of = plainDocument(text);
  if (document) {
    of.createElementNS = (space, name) => document.createElementNS(space, name);
    of.createElement = (name) => document.createElement(name);
    Object.defineProperty(of, 'activeElement', { get: () => document.activeElement });
  }
  return reportProgram(of);
}

const paper = `svg { font-family: "DejaVu Sans", system-ui, Arial, sans-serif; font-size: 12px; }
text { fill: #1b1f24; } .tick, .note { fill: #5b6673; } .ground { fill: #fff; } .axis { stroke: #a3abb5; fill: none; } .grid { stroke: #edf0f3; }
.band { fill: #FBE9D9; } .zero { stroke: #666; stroke-width: 1.1; stroke-dasharray: 7 5; fill: none; } .zero.whole { stroke-dasharray: none; }
.curve { stroke: #0072B2; stroke-width: 1.8; fill: none; stroke-linejoin: round; } .kept { stroke: #8a94a0; stroke-width: 1.3; fill: none; stroke-linejoin: round; }
.slide { stroke: #D55E00; stroke-width: 3.2; fill: none; stroke-linejoin: round; }
.event { fill: #fff; stroke: #000; stroke-width: 1.2; } .event.solid { fill: #000; } .event.cross { fill: none; } .live { display: none; }
`;

/** A picture of a run as SVG: its quantities over time, and the phase portrait beside them.
 *  `show`: names of the quantities over time; `phase`: two names, or null for none; `from`, `to`: the part of the run. */
export function drawPicture(text, { width = 1000, show, phase, from, to, title } = {}) {
  const program = programOf(text);
  const { view, names, data, TIME } = program;
  const numberOf = (name) => {
    const k = names.indexOf(name);
    if (k < 0) throw new Error(`there is no '${name}' to draw; there are: ${names.join(', ')}`);
    return k;
  };
  if (show) view.shown = show.map(numberOf);
  if (phase) view.portrait = { across: numberOf(phase[0]), up: numberOf(phase[1]) };
  if (phase === null) view.portrait = null;
  if (from !== undefined) view.from = Math.max(view.from, from);
  if (to !== undefined) view.to = Math.min(view.to, to);
  const head = 34, gap = 6;
  const timeWidth = view.portrait ? Math.round(0.6 * width) : width;
  const height = view.portrait ? Math.max(150, Math.round(430 / view.shown.length)) : Math.max(150, Math.round(400 / view.shown.length));
  const hooks = {};
  const drawn = (across, up, w, h, x, y) => {
    const host = { appendChild(svg) { this.svg = svg; } };
    program.panel(host, across, up, hooks).draw(w, h);
    Object.assign(host.svg.attributes, { x, y });
    for (const attribute of ['tabindex', 'role', 'aria-label']) delete host.svg.attributes[attribute];
    return host.svg;
  };
  const parts = view.shown.map((k, row) => drawn(TIME, k, timeWidth, height, 0, head + row * (height + gap)));
  let total = head + view.shown.length * (height + gap);
  if (view.portrait) {
    const size = width - timeWidth - gap;
    parts.push(drawn(view.portrait.across, view.portrait.up, size, size, timeWidth + gap, head));
    total = Math.max(total, head + size);
  }
  const escaped = (value) => String(value).replace(/&/g, '&amp;').replace(/</g, '&lt;');
  const name = escaped(title ?? data.model);
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${total}" width="${width}" height="${total}" role="img" aria-label="${name}">
<title>${name}</title><style>${paper}</style><rect width="100%" height="100%" fill="#fff"/>
<text x="14" y="22" font-size="16" font-weight="600">${name}</text>
${parts.join('\n')}
</svg>
`;
}
