// The page in a headless Chromium, from disk and without a network: the picture, the editor, sliders, links, stops, exports, and whether everyone
// can use it, at two widths and in two themes.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { Browser, browserCommand } from './browser.mjs';

const folder = join(process.env.SLIDEWAY_WEB, 'page');
const page = pathToFileURL(join(folder, 'index.html')).href;
const isMissing = browserCommand() === '' && !process.env.SLIDEWAY_NEEDS_BROWSER && 'there is no Chromium';
const options = { skip: isMissing };
const measured = {};
let browser;

before(() => { if (!isMissing) browser = new Browser(); });
after(async () => {
  if (browser) await browser.close();
  console.log(JSON.stringify(measured));
});

const runs = () => browser.ask("Number(document.body.dataset.runs ?? 0)");
const text = (selector) => browser.ask(`document.querySelector(${JSON.stringify(selector)}).textContent`);
const click = (selector) => browser.ask(`document.querySelector(${JSON.stringify(selector)}).click()`);
async function nextRun(action) {
  const count = await runs();
  await action();
  await browser.wait(`Number(document.body.dataset.runs ?? 0) > ${count}`);
}
async function opened(address = page, more = {}) {
  browser.complaints.length = 0;
  browser.requests.length = 0;
  await browser.open(address, more);
  await browser.wait("Number(document.body.dataset.runs ?? 0) > 0");
}
const median = (values) => values.slice().sort((a, b) => a - b)[Math.floor(values.length / 2)];

const files = ['index.html', 'page.css', 'page.js', 'engine.wasm'];
const types = { html: 'text/html', css: 'text/css', js: 'text/javascript', wasm: 'application/wasm' };
const brotli = (file) => brotliCompressSync(readFileSync(join(folder, file)), { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });

test('a server that compresses hands out at most 2.2 MB, and the page runs from it', options, async () => {
  const compressed = Object.fromEntries(files.map((file) => [file, brotli(file)]));
  measured.compressed = files.reduce((sum, file) => sum + compressed[file].length, 0);
  measured.gzip = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file)), { level: 9 }).length, 0);
  measured.onDisk = [...files, 'engine.js'].reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  assert.ok(measured.compressed <= 2.2e6, `${measured.compressed}`);
  const asked = [];
  const server = createServer((request, response) => {
    const file = request.url === '/' ? 'index.html' : request.url.slice(1);
    asked.push(file);
    if (!(file in compressed)) { response.writeHead(404).end(); return; }
    response.writeHead(200, { 'content-type': types[file.split('.').pop()], 'content-encoding': 'br' }).end(compressed[file]);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  try {
    await opened(`http://127.0.0.1:${server.address().port}/`);
    assert.match(await text('#outcome'), /reached end/);
    assert.deepEqual([...asked].sort(), [...files].sort());
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('it shows the picture of its first model, and asks nothing from anywhere', options, async () => {
  await opened();
  measured.load = await browser.ask('slidewayPage.page.firstPicture');
  assert.equal(await browser.ask("document.querySelectorAll('#pictures svg').length"), 3);
  assert.match(await text('#outcome'), /reached end2 events/);
  assert.ok(await browser.ask("document.querySelector('#time-picture path.slide').getAttribute('d').length > 10"));
  const elsewhere = browser.requests.filter((address) => !address.startsWith('file:') && !address.startsWith('blob:') && !address.startsWith('data:') && address !== 'about:blank');
  assert.deepEqual(elsewhere, []);
  assert.deepEqual(browser.complaints, []);
});

test('every model of the gallery is there by field, and runs', options, async () => {
  await opened();
  const names = await browser.ask("[...document.querySelectorAll('#gallery optgroup option')].map((one) => one.value)");
  assert.ok(names.length >= 78);
  for (const name of names.filter((_, k) => k % 9 === 0)) {
    await nextRun(() => browser.ask(`{ const s = document.getElementById('gallery'); s.value = ${JSON.stringify(name)}; s.onchange(); }`));
    assert.equal(await browser.ask("document.querySelectorAll('#mistakes li').length"), 0, name);
    assert.match(await text('#outcome'), /reached end|stopped by event/, name);
  }
});

test('what is typed is run, and mistakes are underlined where they are', options, async () => {
  await opened();
  await browser.ask("slidewayPage.editor.view.dispatch({ selection: { anchor: slidewayPage.editor.text.indexOf('step(overflow)*L') } }); slidewayPage.editor.view.focus()");
  await browser.write('stop(');
  await browser.wait("document.querySelectorAll('#mistakes li').length > 0");
  await browser.wait("document.querySelectorAll('.cm-lintRange-error').length > 0");
  assert.match(await text('#mistakes'), /line \d+, column \d+: /);
  await nextRun(() => browser.ask("slidewayPage.editor.view.dispatch({ changes: { from: slidewayPage.editor.text.indexOf('stop('), to: slidewayPage.editor.text.indexOf('stop(') + (slidewayPage.editor.text[slidewayPage.editor.text.indexOf('stop(') + 5] === ')' ? 6 : 5) } })"));
  assert.equal(await browser.ask("document.querySelectorAll('#mistakes li').length"), 0);
  assert.deepEqual(browser.complaints, []);
});

test('completion knows the names of the model and the functions', options, async () => {
  await opened();
  await browser.ask("{ const at = slidewayPage.editor.text.indexOf('step(overflow)*L'); slidewayPage.editor.view.dispatch({ selection: { anchor: at } }); slidewayPage.editor.view.focus(); }");
  await browser.write('R_');
  await browser.wait("[...document.querySelectorAll('.cm-tooltip-autocomplete li')].some((one) => one.textContent.includes('R_pipe'))", 20);
});

test('completion writes the beginning of a table, its keys and what they may be', options, async () => {
  await opened();
  const choose = async (typed, label) => {
    await browser.write(typed);
    await browser.wait(`document.querySelector('.cm-tooltip-autocomplete li[aria-selected]')?.textContent.includes(${JSON.stringify(label)})`, 20);
    // A choice is taken only when the list has been there for a moment, so that what is typed fast is not replaced.
    await new Promise((resolve) => { setTimeout(resolve, 150); });
    await browser.press('Enter');
  };
  await browser.ask("{ const view = slidewayPage.editor.view; view.dispatch({ selection: { anchor: view.state.doc.length } }); view.focus(); }");
  await choose('\n[[rec', '[[records]]');
  await browser.wait("slidewayPage.editor.text.includes('[[records]]\\nname = \"top\"\\nwhen = \"v\"\\ndirection = \"falling\"')");
  await browser.ask("{ const view = slidewayPage.editor.view; view.dispatch({ selection: { anchor: view.state.doc.length } }); }");
  await choose('\nacr', 'across_jumps');
  await browser.wait("slidewayPage.editor.text.includes('across_jumps = ')");
  await browser.ask("{ const view = slidewayPage.editor.view, at = slidewayPage.editor.text.indexOf('falling'); view.dispatch({ changes: { from: at, to: at + 7 }, selection: { anchor: at } }); }");
  await choose('ri', 'rising');
  await browser.wait("slidewayPage.editor.text.includes('direction = \"rising\"')");
  assert.deepEqual(browser.complaints, []);
});

test('a slider redraws the picture as it moves', options, async () => {
  for (const [model, parameter] of [['evaporator', 'f_in'], ['popp_stelter', 'v_belt'], ['chua', null]]) {
    await opened(`${page}#gallery=${model}`);
    const slider = parameter ? `#values-${parameter}` : '#values input[type=range]';
    const times = [];
    const before_ = await browser.ask("document.querySelector('#time-picture path.curve').getAttribute('d')");
    for (let k = 0; k < 15; ++k) {
      times.push(await browser.ask(`new Promise((done) => {
        const slider = document.querySelector('${slider}'), runs = Number(document.body.dataset.runs), begin = performance.now();
        slider.value = Number(slider.value) + ${k % 2 ? -1 : 1} * ${1 + k % 3};
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        const look = () => (Number(document.body.dataset.runs) > runs ? done(performance.now() - begin) : setTimeout(look, 0));
        look();
      })`));
    }
    assert.notEqual(await browser.ask("document.querySelector('#time-picture path.curve').getAttribute('d')"), before_);
    (measured.slider ??= {})[model] = Number(median(times).toFixed(1));
  }
});

test('numbers are taken with a point and with a comma, and nonsense is told', options, async () => {
  await opened();
  const enter = (value) => browser.ask(`{ const n = document.querySelector('#values-f_in').nextElementSibling; n.value = '${value}'; n.dispatchEvent(new Event('change')); }`);
  await nextRun(() => enter('0,3'));
  assert.equal(await browser.ask('slidewayPage.page.set.f_in'), 0.3);
  await enter('three');
  assert.equal(await browser.ask("document.querySelector('#values-f_in').nextElementSibling.getAttribute('aria-invalid')"), 'true');
  assert.equal(await browser.ask('slidewayPage.page.set.f_in'), 0.3);
});

test('a link holds the model and what is set', options, async () => {
  await opened();
  await nextRun(() => browser.ask("{ const n = document.querySelector('#values-f_in').nextElementSibling; n.value = '0.31'; n.dispatchEvent(new Event('change')); }"));
  const link = await browser.ask('slidewayPage.linkOf()');
  assert.match(link, /^#m=[\w-]+$/);
  await opened(page + link);
  assert.equal(await browser.ask('slidewayPage.page.set.f_in'), 0.31);
  assert.match(await browser.ask('slidewayPage.editor.text'), /overflow = "L - L_th"/);
  await browser.open(page + '#m=damaged');
  await browser.wait("document.querySelector('#mistakes').textContent.includes('damaged')");
});

const many = `name = "many"
[states]
x = 0.0
y = 1.0
[time]
end = 1000000.0
[derivatives]
x = "1"
y = "0.001*sgn(sin(2*pi*x))"
[options]
max_events = 5000000
`;

test('a run that takes long can be stopped, and the page answers meanwhile', options, async () => {
  await opened();
  await browser.ask(`void slidewayPage.open(${JSON.stringify(many)})`);
  await browser.wait("!document.getElementById('stop').disabled && document.getElementById('state').textContent === 'running'");
  const begin = Date.now();
  await browser.ask('1 + 1');
  assert.ok(Date.now() - begin < 1000);
  await click('#stop');
  await browser.wait("document.getElementById('outcome').textContent === 'stopped'", 10);
  // The next model finds a fresh engine.
  await nextRun(() => browser.ask("{ const s = document.getElementById('gallery'); s.value = 'evaporator'; s.onchange(); }"));
  assert.match(await text('#outcome'), /reached end/);
});

test('events have reasons, and the report, a sweep, comparisons and exports are there', options, async () => {
  await opened();
  await click('#tab-events');
  assert.match(await text('#events-view'), /sliding entry.*both fields push onto the surface/);
  await click('#tab-report');
  await browser.wait("document.querySelector('#report-view iframe')?.srcdoc.length > 10000");
  await click('#tab-sweep');
  await browser.ask("document.getElementById('sweep-count').value = '7'; document.querySelector('#sweep-view form').requestSubmit()");
  await browser.wait("document.getElementById('sweep-state').textContent === '7 runs' && document.querySelectorAll('#sweep-picture svg').length === 3");
  await click('#tab-compare');
  await click('#keep');
  await nextRun(() => browser.ask("{ const n = document.querySelector('#values-f_in').nextElementSibling; n.value = '0.4'; n.dispatchEvent(new Event('change')); }"));
  assert.match(await text('#kept-table'), /L at the end/);
  await click('#by-methods');
  await browser.wait("document.querySelectorAll('#method-table tbody tr').length === 6");
  await click('#tab-picture');
  assert.ok(await browser.ask("document.querySelectorAll('#time-picture path.kept').length === 2"));
  await click('#tab-export');
  for (const [id, pattern] of [['svg', /<svg/], ['csv', /^t,p,L/], ['json', /slideway\.run\/1/], ['report', /<!doctype html>/i], ['toml', /f_in {3}= 0\.4/], ['python', /slideway\.parse/],
    ['cpp', /parse_model/], ['check', /slideway\.check\/1/]]) {
    await browser.ask("document.querySelector('#export-view textarea').value = ''");
    await click('#export-' + id);
    await browser.wait("document.querySelector('#export-view textarea').value !== ''");
    assert.match(await browser.ask("document.querySelector('#export-view textarea').value"), pattern, id);
  }
  assert.deepEqual(browser.complaints, []);
});

test('the picture zooms, and keys move it', options, async () => {
  await opened();
  await browser.ask("document.querySelector('#time-picture svg').focus()");
  await browser.press('+', { text: '+' });
  assert.match(await text('#range'), /12 … 48/);
  await browser.press('Escape');
  assert.match(await text('#range'), /0 … 60/);
});

test('tabs are moved by arrows, and all of the page is reached by the keyboard', options, async () => {
  await opened();
  await browser.ask("document.getElementById('tab-picture').focus()");
  await browser.press('ArrowRight');
  assert.equal(await browser.ask('document.activeElement.id'), 'tab-events');
  assert.equal(await browser.ask("document.getElementById('events-view').hidden"), false);
});

test('everyone can use it: widths, themes, and the rules of axe', options, async () => {
  const axe = readFileSync(join(process.env.SLIDEWAY_NODE_MODULES, 'axe-core/axe.min.js'), 'utf8');
  for (const [width, scheme] of [[1280, 'light'], [1280, 'dark'], [390, 'light'], [390, 'dark']]) {
    await opened(page, { width, height: 844, scheme });
    assert.ok(await browser.ask('document.documentElement.scrollWidth <= innerWidth'), `${width}`);
    await browser.ask(axe + '; void 0');
    for (const tab of ['picture', 'events', 'compare', 'sweep', 'export']) {
      await click('#tab-' + tab);
      await browser.ask("document.getElementById('more').open = true");
      const found = await browser.ask("axe.run({ preload: false }).then((r) => r.violations.map((v) => v.id + ': ' + v.nodes.slice(0, 3).map((n) => n.target.join(' ') + ' ' + n.failureSummary).join('; ')))");
      assert.deepEqual(found, [], `${width} ${scheme} ${tab}`);
      assert.ok(await browser.ask('document.documentElement.scrollWidth <= innerWidth'), `${width} ${tab}`);
    }
  }
});

test('within a page of the manual the results alone are seen', options, async () => {
  await opened(`${page}#embed=1&gallery=evaporator`);
  assert.equal(await browser.ask("getComputedStyle(document.getElementById('model')).display"), 'none');
  assert.equal(await browser.ask("document.querySelectorAll('#pictures svg').length"), 3);
});

test('models of the manual run where they stand', options, async () => {
  const manual = mkdtempSync(join(tmpdir(), 'slideway-manual-'));
  try {
    mkdirSync(join(manual, '_static'));
    cpSync(folder, join(manual, '_static/models'), { recursive: true });
    cpSync(join(process.env.SLIDEWAY_SOURCE, 'lib/docs/_static/run_models.js'), join(manual, '_static/run_models.js'));
    const block = (content) => `<div class="highlight-toml notranslate"><div class="highlight"><pre>${content}</pre></div></div>`;
    writeFileSync(join(manual, 'page.html'), `<!doctype html><script src="_static/run_models.js"></script>${block('[surfaces]\nstick = "v"')}${
      block('[states]\nx = 1.0\n[time]\nend = 2.0\n[derivatives]\nx = "-sgn(x)"\n')}`);
    await browser.open(pathToFileURL(join(manual, 'page.html')).href);
    // A part of a model cannot be run.
    assert.equal(await browser.ask("document.querySelectorAll('.run-model').length"), 1);
    await click('.run-model button');
    await browser.wait("document.querySelector('iframe')?.src.includes('#embed=1&m=')");
    await opened(await browser.ask("document.querySelector('iframe').src"));
    assert.match(await text('#outcome'), /reached end1 event/);
    assert.equal(await browser.ask("getComputedStyle(document.getElementById('model')).display"), 'none');
    assert.deepEqual(browser.complaints, []);
  } finally {
    rmSync(manual, { recursive: true, force: true });
  }
});
