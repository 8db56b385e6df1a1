// Files from the page: a panel as SVG that looks the same elsewhere, and the curves as CSV. They are made here, without a network.
function save(name, type, text) {
  const link = html('a', document.body);
  const address = URL.createObjectURL(new Blob([text], { type }));
  link.setAttribute('download', name);
  link.href = address;
  link.click();
  link.remove();
  // A browser may begin to read later.
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
const fileName = (...parts) => parts.join('-').replace(/[^A-Za-z0-9._-]+/g, '_').replace(/^[._]+/, '') || 'run';

const shapeStyle = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin', 'shape-rendering'];
const textStyle = ['fill', 'stroke', 'stroke-width', 'stroke-linejoin', 'paint-order', 'font-family', 'font-size', 'font-weight'];
const ordinary = { 'fill-opacity': '1', 'stroke-dasharray': 'none', 'stroke-linejoin': 'miter', 'shape-rendering': 'auto', 'paint-order': 'normal' };
// The drawing with its styles in attributes, in the colours of paper.
function drawing(svg) {
  const root = document.documentElement;
  root.classList.add('paper-colours');
  const copy = svg.cloneNode(true);
  const originals = svg.querySelectorAll('*'), copies = copy.querySelectorAll('*');
  originals.forEach((original, n) => {
    const isText = original.tagName === 'text' || original.tagName === 'tspan';
    if (!isText && !['path', 'line', 'rect', 'circle'].includes(original.tagName)) return;
    const style = getComputedStyle(original);
    for (const name of isText ? textStyle : shapeStyle) {
      const value = style.getPropertyValue(name);
      if (value && value !== ordinary[name]) copies[n].setAttribute(name, value);
    }
    copies[n].removeAttribute('class');
  });
  const paper = getComputedStyle(root).getPropertyValue('--paper').trim();
  root.classList.remove('paper-colours');
  for (const live of copy.querySelectorAll('.live')) live.remove();
  for (const attribute of ['tabindex', 'role']) copy.removeAttribute(attribute);
  const ground = element('rect', { width: '100%', height: '100%', fill: paper });
  copy.insertBefore(ground, copy.firstChild);
  const title = element('title', {}, null, data.model + ': ' + svg.getAttribute('aria-label'));
  copy.insertBefore(title, ground);
  return '<?xml version="1.0" encoding="UTF-8"?>\n' + new XMLSerializer().serializeToString(copy) + '\n';
}
function saveDrawing(shownPanel) {
  save(fileName(data.model, nameOf(shownPanel.up), ...(shownPanel.across === TIME ? [] : [nameOf(shownPanel.across)])) + '.svg',
    'image/svg+xml', drawing(shownPanel.svg));
}

const cell = (text) => /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
// All samples of the page; where the state jumps, two rows have the same time. String() is the shortest text of a number.
function curveTable() {
  const lines = ['t,' + names.map(cell).join(',')];
  T.forEach((t, i) => lines.push([t, ...X.map((x) => x[i])].map((v) => v === null ? '' : String(v)).join(',')));
  return lines.join('\n') + '\n';
}
const saveCurves = () => save(fileName(data.model) + '.csv', 'text/csv', curveTable());
