// The page: what is shown, what is asked of the engine, and what of the run is where.
import { galleryModels } from 'gallery';
import { workerSource } from 'worker-source';
import { withValues, headOf, numberIn } from '../engine/model_text.mjs';
import { makeEditor } from './editor.mjs';
import { EngineClient, Latest, Stopped } from './engine_client.mjs';
import { compareView } from './compare_view.mjs';
import { eventsView } from './events_view.mjs';
import { exportView } from './export_view.mjs';
import { packed, unpacked } from './link.mjs';
import { pictureView } from './picture_view.mjs';
import { sweepView } from './sweep_view.mjs';
import { setUpTabs } from './tabs.mjs';
import { makeValues } from './values.mjs';

const $ = (id) => document.getElementById(id);
const engine = new EngineClient(workerSource);

// The model, what is set, and the last run. Every view reads it.
const page = {
  engine, text: '', set: {}, described: null, run: null, name: 'model',
  request() {
    const options = {};
    for (const name of ['rtol', 'end']) {
      const value = numberIn($(name).value);
      if (Number.isFinite(value)) options[name === 'end' ? 't_end' : name] = value;
    }
    for (const name of ['method', 'on_ambiguity']) if ($(name).value) options[name] = $(name).value;
    const observe = $('observe').value.split(';').map((quantity) => quantity.trim()).filter((quantity) => quantity);
    return { text: page.text, set: { ...page.set }, options, observe };
  },
  textAsSet: () => withValues(page.text, page.set).text
};

const editor = makeEditor($('editor'), { changed: (text) => edited(text) });
const views = {
  picture: pictureView(page), events: eventsView($('events-view')), compare: compareView($('compare-view'), page),
  sweep: sweepView($('sweep-view'), page), export: exportView($('export-view'), page)
};
const tabs = setUpTabs((name) => show(name));
const values = makeValues($('values'), $('initial'), { changed: (set) => { page.set = set; runs.request(); } });

// ---- what the page says ----
function tell(mistakes, message = '') {
  editor.tell(mistakes.filter((mistake) => mistake.line >= 0));
  const list = $('mistakes');
  list.replaceChildren();
  for (const mistake of mistakes.length ? mistakes : message ? [{ line: 0, column: 0, message }] : []) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = mistake.message.replace(/^\S+?:(\d+):(\d+): /, 'line $1, column $2: ');
    if (mistake.line > 0) button.onclick = () => editor.goTo(mistake);
    const item = document.createElement('li');
    item.append(button);
    list.append(item);
  }
  $('results').classList.toggle('stale', mistakes.length > 0 || message !== '');
}
function outcome(run) {
  const box = $('outcome'), good = run.status === 'reached_end' || run.status === 'stopped_by_event';
  box.replaceChildren();
  const word = document.createElement('span');
  word.className = good ? 'outcome' : 'outcome early';
  word.textContent = run.status.replace(/_/g, ' ');
  box.append(word, `${run.events} event${run.events === 1 ? '' : 's'}, ${run.milliseconds < 10 ? run.milliseconds.toFixed(1) : Math.round(run.milliseconds)} ms` +
    (run.message && !good ? ` · ${run.message}` : '') + (run.warnings.length ? ` · ${run.warnings.join(' · ')}` : ''));
}

// ---- runs ----
let busyTimer = null;
function busy(isBusy) {
  clearTimeout(busyTimer);
  if (isBusy) {
    busyTimer = setTimeout(() => { $('state').textContent = 'running'; }, 400);
  } else {
    $('state').textContent = 'ready';
  }
  $('stop').disabled = !isBusy;
}
const runs = new Latest(async () => {
  const request = page.request();
  busy(true);
  const begin = performance.now();
  try {
    const run = await engine.ask('run', request);
    page.run = { ...run, request };
    tell([]);
    outcome(run);
    show(tabs.current, true);
    page.run.shown = performance.now() - begin;
    page.firstPicture ??= performance.now();
    document.body.dataset.runs = String(Number(document.body.dataset.runs ?? 0) + 1);
    document.body.dataset.milliseconds = page.run.shown.toFixed(1);
  } catch (error) {
    if (error instanceof Stopped) $('outcome').textContent = 'stopped';
    else tell(error.mistakes ?? [], error.message);
  } finally {
    busy(false);
  }
});
// A run that takes longer than this is not worth waiting for when the model has changed.
const patience = 1500;
function rerun() {
  const begun = runs.running;
  if (begun) setTimeout(() => { if (runs.running === begun && runs.next) engine.stop(); }, patience);
  return runs.request();
}

// ---- the model ----
async function take(text) {
  page.text = text;
  try {
    const described = await engine.ask('describe', { text });
    if (text !== page.text) return;
    page.described = described;
    page.name = headOf(text).name ?? 'model';
    document.title = `${page.name} · slideway`;
    tell([]);
    page.set = values.show(described, page.set);
    $('end').placeholder = String(described.span[1]);
    await rerun();
  } catch (error) {
    if (error instanceof Stopped) return;
    if (text === page.text) tell(error.mistakes ?? [], error.message);
  }
}
let typing = null;
function edited(text) {
  clearTimeout(typing);
  page.text = text;
  typing = setTimeout(() => take(text), 220);
}
function open(text, { set = {}, options = {}, observe = '' } = {}) {
  page.set = set;
  for (const name of ['rtol', 'method', 'on_ambiguity']) $(name).value = options[name] ?? '';
  $('end').value = options.t_end ?? '';
  $('observe').value = observe;
  editor.setText(text);
  views.compare.forget();
  return take(text);
}

function show(name, isNew = false) {
  if (!page.run) return;
  if (name === 'report') showReport(isNew);
  else views[name]?.show(page.run, isNew);
}
async function showReport(isNew) {
  const host = $('report-view');
  if (!isNew && host.firstChild && host.dataset.of === document.body.dataset.runs) return;
  const html = await engine.ask('html');
  const frame = document.createElement('iframe');
  frame.title = 'the report of the run';
  frame.sandbox = 'allow-scripts allow-downloads';
  frame.srcdoc = html;
  host.replaceChildren(frame);
  host.dataset.of = document.body.dataset.runs;
}

// ---- the head of the page ----
const beginning = `name = "new"

[parameters]
mu = 0.3

[states]          # name = initial value
x = 1.0
v = 0.0

[time]
end = 20.0

[derivatives]     # what jumps becomes a surface by itself: sgn, step, if, abs, min, max
x = "v"
v = "-x - mu*sgn(v)"
`;
function setUpGallery() {
  const select = $('gallery');
  const option = (parent, value, text) => { const made = document.createElement('option'); made.value = value; made.textContent = text; parent.append(made); };
  option(select, '', 'your own');
  option(select, 'new', 'a new model');
  const fields = new Map();
  for (const model of galleryModels) {
    if (!fields.has(model.field)) {
      const group = document.createElement('optgroup');
      group.label = model.field;
      select.append(group);
      fields.set(model.field, group);
    }
    option(fields.get(model.field), model.file, model.summary.length > 70 ? `${model.file}: ${model.summary.slice(0, 68)}…` : `${model.file}: ${model.summary}`);
  }
  select.onchange = async () => {
    if (select.value === 'new') { open(beginning); return; }
    const model = galleryModels.find((one) => one.file === select.value);
    if (model) { await addData(model); open(model.text); }
  };
}
async function addData(model) {
  for (const [name, content] of Object.entries(model.data ?? {})) await engine.addFile(name, content);
}
async function openFiles(files) {
  for (const file of files) if (!file.name.endsWith('.toml')) await engine.addFile(file.name, await file.text());
  const model = [...files].find((file) => file.name.endsWith('.toml'));
  if (model) { $('gallery').value = ''; open(await model.text()); } else take(editor.text);
}
$('open').onclick = () => $('file').click();
$('file').onchange = () => openFiles($('file').files);
document.body.addEventListener('dragover', (event) => event.preventDefault());
document.body.addEventListener('drop', (event) => { event.preventDefault(); openFiles(event.dataTransfer.files); });
$('link').onclick = async () => {
  const address = await linkOf();
  history.replaceState(null, '', address);
  try {
    await navigator.clipboard.writeText(location.href);
    $('state').textContent = 'the link is in the clipboard';
  } catch {
    $('state').textContent = 'the link is in the address bar';
  }
};
async function linkOf() {
  const { options, observe } = page.request();
  return '#m=' + await packed({ text: page.text, set: page.set, options, observe: observe.join('; ') });
}
$('run').onclick = () => rerun();
$('stop').onclick = () => engine.stop();
$('reset-values').onclick = () => { page.set = values.show(page.described, {}); rerun(); };
for (const name of ['end', 'rtol', 'observe']) $(name).onchange = () => {
  const isNumber = name === 'observe' || $(name).value.trim() === '' || Number.isFinite(numberIn($(name).value));
  $(name).classList.toggle('wrong', !isNumber);
  $(name).setAttribute('aria-invalid', String(!isNumber));
  if (isNumber) rerun();
};
for (const name of ['method', 'on_ambiguity']) $(name).onchange = () => rerun();
window.addEventListener('resize', () => { clearTimeout(page.resized); page.resized = setTimeout(() => show(tabs.current), 80); });

// ---- the engine and the first model ----
async function begin() {
  await engine.begin(globalThis.slidewayModule);
  $('version').textContent = `slideway ${engine.version}`;
}
async function first() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (fragment.has('embed')) document.body.classList.add('embedded');
  if (fragment.has('m')) {
    try {
      const of = await unpacked(fragment.get('m'));
      $('gallery').value = '';
      return open(of.text, of);
    } catch {
      tell([], 'the link is damaged: its model cannot be read');
      return undefined;
    }
  }
  const model = galleryModels.find((one) => one.file === fragment.get('gallery')) ?? galleryModels.find((one) => one.file === 'evaporator');
  $('gallery').value = model.file;
  editor.setText(model.text);
  await engine.ready.catch(() => {});
  await addData(model);
  return open(model.text);
}
setUpGallery();
begin();
engine.ready.catch(() => { $('state').textContent = 'this browser cannot run WebAssembly with exceptions: take a newer one'; });
window.addEventListener('hashchange', first);
first();
// For tests and for pages around this one.
globalThis.slidewayPage = { page, open, editor, engine, linkOf };
