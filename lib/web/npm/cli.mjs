#!/usr/bin/env node
// The command of the npm package: npx slideway run model.toml --plot a.svg --json -
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SlidewayError, load } from './index.mjs';
import { sweepPicture, sweepTable } from '../engine/sweep.mjs';
import { dataFilesOf } from '../engine/model_text.mjs';

const usage = `Integrates ordinary differential equations whose right-hand side jumps, and goes on where ordinary solvers chatter.

Usage: slideway COMMAND MODEL [options]

  MODEL                     a .toml file, - for standard input, or gallery/NAME

Commands
  run                       Follow a model through its discontinuities
  check                     Check a model: derivatives, the start, scales, which method suits it
  show                      Show a model: equations, surfaces, parameters
  sweep                     Run a model for many values of a parameter
  models                    List the gallery

Options
  --set NAME=VALUE          set a parameter or the initial value of a state; may be repeated
  --t-end NUMBER            end time
  --rtol, --atol NUMBER     tolerances
  --method WORD             auto bdf adams dopri5 dop853 rodas
  --max-step NUMBER, --max-events N, --max-steps N, --on-ambiguity WORD, --sliding-rule WORD, --selection WORD, --linear-solver WORD
  --observe NAME[=FORMULA]  a quantity to see beside the states; may be repeated
Results of run (a FILE named - is standard output)
  --plot FILE.svg           a picture; --states A,B  --phase A,B  --t-range T1:T2  --size WIDTH  --title TEXT
  --json FILE, --csv FILE, --report FILE.html
  --quiet                   print nothing but errors
Of sweep
  --vary P=FIRST:LAST:COUNT or P=VALUE,VALUE
  --csv FILE, --plot FILE.svg  (without them the table goes to standard output)  --states A,B

The native command has more: orbits, fits, exponents, sweeps in parallel.
Exit status: 0 the end or a stop event was reached, 1 a result could not be written, 2 the command line or the model is wrong,
3 the run stopped early, or the check found a problem.
`;

class Misuse extends Error {}

const here = dirname(fileURLToPath(import.meta.url));
const flags = { '--quiet': 'quiet', '--help': 'help', '--version': 'version' };
const several = new Set(['--set', '--observe', '--plot', '--json', '--csv', '--report', '--vary']);
const single = new Set(['--t-end', '--rtol', '--atol', '--method', '--max-step', '--max-events', '--max-steps', '--on-ambiguity', '--sliding-rule',
  '--selection', '--linear-solver', '--states', '--phase', '--t-range', '--size', '--title']);
const engineOptions = ['t-end', 'rtol', 'atol', 'method', 'max-step', 'max-events', 'max-steps', 'on-ambiguity', 'sliding-rule', 'selection',
  'linear-solver'];

function parsed(words) {
  const found = { words: [] };
  for (let k = 0; k < words.length; ++k) {
    let word = words[k];
    if (word === '-' || !word.startsWith('-')) { found.words.push(word); continue; }
    if (word in flags) { found[flags[word]] = true; continue; }
    let value;
    const sign = word.indexOf('=');
    if (sign > 0) { value = word.slice(sign + 1); word = word.slice(0, sign); }
    if (!several.has(word) && !single.has(word)) throw new Misuse(`there is no option '${word}'`);
    if (value === undefined) {
      value = words[++k];
      if (value === undefined) throw new Misuse(`${word} needs a value`);
    }
    const name = word.slice(2);
    if (several.has(word)) (found[name] ??= []).push(value); else found[name] = value;
  }
  return found;
}

function numberOf(text, what) {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new Misuse(`${what}: expected a number, got '${text}'`);
  return value;
}

function textOf(name) {
  if (name === '-') return { text: readFileSync(0, 'utf8'), folder: '.', fileName: 'standard input' };
  const path = name.startsWith('gallery/') ? join(here, 'gallery', basename(name, '.toml') + '.toml') : name;
  try {
    return { text: readFileSync(path, 'utf8'), folder: dirname(resolve(path)), fileName: name };
  } catch (error) {
    throw new Misuse(`'${name}' cannot be read: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`);
  }
}

function modelOf(engine, name) {
  const { text, folder, fileName } = textOf(name);
  for (const file of dataFilesOf(text)) {
    try { engine.addFile(file, readFileSync(join(folder, file))); } catch { /* the model's own message tells which file is missing */ }
  }
  return engine.parse(text, fileName);
}

function settle(model, options) {
  for (const setting of options.set ?? []) {
    const sign = setting.indexOf('=');
    if (sign < 1) throw new Misuse(`--set: expected NAME=VALUE, got '${setting}'`);
    model.set(setting.slice(0, sign), numberOf(setting.slice(sign + 1), `--set ${setting.slice(0, sign)}`));
  }
  for (const name of engineOptions) if (options[name] !== undefined) model.options({ [name.replace(/-/g, '_')]: options[name] });
  model.observe(...(options.observe ?? []));
}

let failedToWrite = false;
function put(file, text) {
  if (file === '-') { process.stdout.write(text); return; }
  try {
    writeFileSync(file, text);
  } catch (error) {
    failedToWrite = true;
    process.stderr.write(`slideway: '${file}' cannot be written: ${error.message}\n`);
  }
}

const namesIn = (text) => text.split(',').map((name) => name.trim());
function pictureOptions(options) {
  const chosen = {};
  if (options.states) chosen.show = namesIn(options.states);
  if (options.phase) chosen.phase = namesIn(options.phase);
  if (options.title) chosen.title = options.title;
  if (options.size) chosen.width = numberOf(options.size.split('x')[0], '--size');
  if (options['t-range']) [chosen.from, chosen.to] = options['t-range'].split(':').map((t) => numberOf(t, '--t-range'));
  return chosen;
}

const columns = (rows) => {
  const widths = rows[0].map((_, k) => Math.max(...rows.map((row) => row[k].length)));
  return rows.map((row) => row.map((cell, k) => cell.padEnd(widths[k])).join('  ').trimEnd()).join('\n') + '\n';
};

function summary(run) {
  const document = run.toJSON();
  const most = 40, events = document.events;
  const rows = [['t', 'event', 'where', 'mode'],
    ...events.slice(0, most).map((event) => [String(Number(event.t.toPrecision(10))), event.kind, event.name ?? event.surfaces.join(' '),
      `${event.from ?? ''} -> ${event.to ?? ''}`])];
  const states = [['state', 'initial', 'final'], ['t', String(document.initial.t), String(Number(document.final.t.toPrecision(10)))],
    ...Object.entries(document.final.state).slice(0, most).map(([name, value]) =>
      [name, String(Number((document.initial.state[name] ?? NaN).toPrecision(10))), String(Number((value ?? NaN).toPrecision(10)))])];
  const outcome = document.outcome;
  return columns(rows) + (events.length > most ? `... and ${events.length - most} more; --json lists them all\n` : '') + '\n' + columns(states) +
    `\noutcome  ${outcome.status} at t = ${outcome.t}, ${events.length} events\n` + (outcome.message ? outcome.message + '\n' : '') +
    document.warnings.map((warning) => `warning: ${warning}\n`).join('');
}

function run(engine, name, options) {
  const model = modelOf(engine, name);
  settle(model, options);
  const result = model.run();
  for (const file of options.json ?? []) put(file, result.json());
  for (const file of options.csv ?? []) put(file, result.csv());
  for (const file of options.report ?? []) put(file, result.html());
  for (const file of options.plot ?? []) {
    if (!file.endsWith('.svg') && file !== '-') throw new Misuse(`--plot: expected a name that ends in .svg, got '${file}'`);
    put(file, result.svg(pictureOptions(options)));
  }
  const isTaken = ['json', 'csv', 'report', 'plot'].some((kind) => options[kind]?.includes('-'));
  if (!options.quiet && !isTaken) process.stdout.write(summary(result));
  const good = result.status === 'reached_end' || result.status === 'stopped_by_event';
  if (!good) process.stderr.write(`slideway: ${result.status} at t = ${result.end}: ${result.message}\n`);
  return good ? 0 : 3;
}

function show(engine, name, options) {
  const model = modelOf(engine, name);
  settle(model, options);
  const part = (title, lines) => (lines.length ? `${title}\n${lines.map((line) => `  ${line}\n`).join('')}\n` : '');
  const [start, end] = model.span;
  process.stdout.write(part('equations', model.equations) + part('parameters', model.parameters.map((p) => `${p.name} = ${p.value}`)) +
    part('surfaces, in the order of mode words', model.surfaces) + part('initial state', model.initial.map((s) => `${s.name} = ${s.value}`)) +
    part('time', [`from ${start} to ${end}`]) + part('remarks', model.remarks));
  return 0;
}

function check(engine, name, options) {
  const model = modelOf(engine, name);
  settle(model, options);
  const found = model.checked();
  for (const file of options.json ?? []) put(file, JSON.stringify(found, null, 1) + '\n');
  if (!options.quiet && !options.json?.includes('-')) {
    const { derivatives, multi_affine: affine, start, trial } = found;
    process.stdout.write(columns([['derivatives', derivatives.passed ? 'right' : derivatives.message ?? 'wrong'],
      ['multi-affine in the relays', affine.passed ? 'yes' : affine.message ?? 'no'], ['start', start.mode === null ? 'without a unique continuation' : `mode ${start.mode}`],
      ['trial run', `${trial.status} at t = ${trial.t}, ${trial.steps} steps, ${trial.events} events`]]));
    for (const { severity, text } of found.findings) process.stdout.write(`${severity}: ${text}\n`);
    if (found.findings.length === 0) process.stdout.write('nothing was found\n');
  }
  return found.findings.some(({ severity }) => severity === 'problem') ? 3 : 0;
}

function valuesOf(text) {
  const sign = text.indexOf('=');
  if (sign < 1) throw new Misuse(`--vary: expected P=FIRST:LAST:COUNT, got '${text}'`);
  const name = text.slice(0, sign), range = text.slice(sign + 1);
  if (!range.includes(':')) return { name, values: range.split(',').map((value) => numberOf(value, '--vary')) };
  const [first, last, count] = range.split(':').map((value) => numberOf(value, '--vary'));
  if (!(Number.isInteger(count) && count >= 1)) throw new Misuse(`--vary: expected P=FIRST:LAST:COUNT, got '${text}'`);
  return { name, values: Array.from({ length: count }, (_, k) => (count === 1 ? first : first + (last - first) * k / (count - 1))) };
}

function sweep(engine, name, options) {
  if (options.vary?.length !== 1) throw new Misuse('sweep needs one --vary P=FIRST:LAST:COUNT');
  const { name: parameter, values } = valuesOf(options.vary[0]);
  const model = modelOf(engine, name);
  settle(model, options);
  const rows = values.map((value) => {
    const result = model.run({ set: { [parameter]: value } });
    const row = { value, status: result.status, t: result.end, events: result.eventCount, final: result.final };
    result.free();
    return row;
  });
  const table = sweepTable(parameter, model.states, rows);
  for (const file of options.csv ?? []) put(file, table);
  for (const file of options.plot ?? []) put(file, sweepPicture(parameter, model.states, rows, { show: options.states ? namesIn(options.states) : undefined }));
  if (!options.csv && !options.plot && !options.quiet) process.stdout.write(table);
  return 0;
}

async function main(words) {
  const options = parsed(words);
  const [command, name] = options.words;
  if (options.help || (!command && !options.version)) { process.stdout.write(usage); return options.help ? 0 : 2; }
  if (options.version) { process.stdout.write(`slideway ${(await load()).version}\n`); return 0; }
  if (command === 'models') {
    for (const model of JSON.parse(readFileSync(join(here, 'gallery.json'), 'utf8'))) process.stdout.write(`gallery/${model.name}  ${model.summary}\n`);
    return 0;
  }
  const commands = { run, check, show, sweep };
  if (!(command in commands)) throw new Misuse(`there is no command '${command}'`);
  if (!name) throw new Misuse(`slideway ${command} needs a model`);
  if (options.words.length > 2) throw new Misuse(`expected one model, got '${options.words.slice(1).join(' ')}'`);
  return commands[command](await load(), name, options);
}

main(process.argv.slice(2)).then((status) => { process.exitCode = failedToWrite && status === 0 ? 1 : status; }, (error) => {
  const isKnown = error instanceof Misuse || error instanceof SlidewayError;
  process.stderr.write(`slideway: ${isKnown ? error.message : error.stack}\n${error instanceof Misuse ? 'Run with --help for more information.\n' : ''}`);
  process.exitCode = isKnown || !error.stack ? 2 : 1;
});
