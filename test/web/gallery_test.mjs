// Every model of the gallery, compiled to WebAssembly and natively: the same status, the same events in the same order at the same times,
// the same ends.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const npm = join(process.env.SLIDEWAY_WEB, 'npm'), gallery = join(process.env.SLIDEWAY_SOURCE, 'models/gallery');
const names = JSON.parse(readFileSync(join(npm, 'gallery.json'), 'utf8')).map(({ name }) => name);
const { load } = await import(pathToFileURL(join(npm, 'index.mjs')));
const { dataFilesOf } = await import('../../lib/web/engine/model_text.mjs');

const native = (name) => new Promise((resolve, reject) => {
  execFile(process.env.SLIDEWAY_NATIVE, ['run', join(gallery, name + '.toml'), '--json', '-', '--quiet', '--audit', 'off'], { maxBuffer: 1 << 29 },
    (error, output) => (output ? resolve(JSON.parse(output)) : reject(error)));
});

// A run is at best as accurate as its tolerances allow; libraries of C round their functions differently in the last digit, which the steps
// of a run turn into differences of this size.
const tolerances = 10;

export async function compared() {
  const engine = await load(), rows = [];
  for (const name of names) {
    const text = readFileSync(join(gallery, name + '.toml'), 'utf8');
    for (const file of dataFilesOf(text)) engine.addFile(file, readFileSync(join(gallery, file)));
    const begin = performance.now();
    const ours = engine.parse(text).run();
    const milliseconds = performance.now() - begin;
    const document = ours.toJSON();
    ours.free();
    const theirs = await native(name);
    const rtol = Number(text.match(/^rtol\s*=\s*([\d.e-]+)/m)?.[1] ?? 1e-6);
    const what = (event) => `${event.kind} ${event.name ?? ''} ${event.surfaces} ${event.from} ${event.to}`;
    const isSame = document.outcome.status === theirs.outcome.status && document.events.length === theirs.events.length &&
      document.events.every((event, k) => what(event) === what(theirs.events[k]));
    const times = Math.max(0, ...document.events.map((event, k) => Math.abs(event.t - (theirs.events[k]?.t ?? NaN)) / Math.max(1, Math.abs(event.t))));
    const greatest = (values) => Math.max(1e-2, ...Object.values(values).map(Math.abs));
    const scale = Math.max(greatest(theirs.final.state), greatest(theirs.initial.state));
    const ends = Math.max(...Object.entries(document.final.state).map(([state, value]) => Math.abs(value - theirs.final.state[state]) / scale));
    rows.push({ name, isSame, times, ends, rtol, milliseconds, native: 1000 * theirs.statistics.wall_seconds, events: [document.events.length, theirs.events.length],
      status: [document.outcome.status, theirs.outcome.status] });
  }
  return rows;
}

test('the gallery is the same in WebAssembly and natively', { skip: !existsSync(process.env.SLIDEWAY_NATIVE ?? '') && 'there is no native command to compare with' }, async () => {
  const rows = await compared();
  assert.ok(rows.length >= 78);
  const bad = rows.filter((row) => !row.isSame || !(row.times <= tolerances * row.rtol) || !(row.ends <= tolerances * row.rtol));
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
  console.log(`${rows.length - bad.length} of ${rows.length}; ${sum('milliseconds').toFixed(0)} ms in WebAssembly, ${sum('native').toFixed(0)} ms natively`);
  if (process.env.SLIDEWAY_ROWS) for (const row of rows) console.log(JSON.stringify(row));
  assert.deepEqual(bad, []);
});
