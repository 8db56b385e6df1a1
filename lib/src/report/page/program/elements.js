// Elements of the page and of drawings, and numbers as text.
const NS = 'http://www.w3.org/2000/svg';
const $ = (id) => document.getElementById(id);
function element(name, attributes, parent, text) {
  const made = document.createElementNS(NS, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.appendChild(made);
  return made;
}
function html(name, parent, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  if (parent) parent.appendChild(made);
  return made;
}
function button(parent, text, label, action) {
  const made = html('button', parent, text);
  made.type = 'button';
  if (label) { made.setAttribute('aria-label', label); made.title = label; }
  made.onclick = action;
  return made;
}
const withMinus = (text) => text.replace(/-/g, '−');
function number(value, digits) {
  if (value === null || value === undefined || !isFinite(value)) return '';
  if (value === 0) return '0';
  return withMinus(String(Number(Number(value).toPrecision(digits || 7))));
}
const superscript = (n) => String(n).replace(/-/g, '⁻').replace(/\d/g, (d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]);
// A name that has so many pixels.
function fitted(name, room) {
  const most = Math.max(3, Math.floor(room / 8));
  return name.length > most ? name.slice(0, most - 1) + '…' : name;
}
