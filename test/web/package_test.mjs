// The npm package as npm installs it: the command, the module, what it weighs.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

const npm = join(process.env.SLIDEWAY_WEB, 'npm');
const folder = mkdtempSync(join(tmpdir(), 'slideway-npm-'));
let module, engine, installed;

before(async () => {
  const tarball = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: npm, encoding: 'utf8' }).trim();
  assert.ok(statSync(join(folder, tarball)).size < 2.6e6, `the tarball has ${statSync(join(folder, tarball)).size} bytes`);
  writeFileSync(join(folder, 'package.json'), '{}');
  execFileSync('npm', ['install', '--offline', '--silent', '--no-audit', '--no-fund', join(folder, tarball)], { cwd: folder });
  installed = join(folder, 'node_modules/slideway');
  module = await import(pathToFileURL(join(installed, 'index.mjs')));
  engine = await module.load();
});
after(() => rmSync(folder, { recursive: true, force: true }));

const command = (...words) => spawnSync(join(folder, 'node_modules/.bin/slideway'), words, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
const block = `[parameters]
mu = 0.3
[states]
x = 2.0
v = 0.0
[time]
end = 20.0
[derivatives]
x = "v"
v = "-x - mu*sgn(v)"
`;

test('the command runs a model and writes a picture and a document', () => {
  writeFileSync(join(folder, 'block.toml'), block);
  const done = command('run', 'block.toml', '--plot', 'a.svg', '--csv', 'a.csv', '--report', 'a.html', '--json', '-');
  assert.equal(done.status, 0, done.stderr);
  const document = JSON.parse(done.stdout);
  assert.equal(document.schema, 'slideway.run/1');
  assert.equal(document.outcome.status, 'reached_end');
  // x turns after every half period, each time 2 mu nearer to zero, until |x| < mu: 2, -1.4, 0.8, -0.2, where it stays.
  assert.ok(Math.abs(document.final.state.x + 0.2) < 1e-5);
  assert.match(readFileSync(join(folder, 'a.svg'), 'utf8'), /^<\?xml[^]*class="curve"[^]*<\/svg>\n$/);
  assert.match(readFileSync(join(folder, 'a.csv'), 'utf8'), /^t,x,v,mode,location\n/);
  assert.match(readFileSync(join(folder, 'a.html'), 'utf8'), /^<!doctype html>/i);
});

test('the command of the gallery, of sweeps, checks and descriptions', () => {
  const run = command('run', 'gallery/evaporator', '--set', 'f_in=0.3');
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, /reached_end at t = 60/);
  assert.match(command('show', 'gallery/evaporator').stdout, /L_th = 0\.1/);
  assert.equal(command('check', 'gallery/evaporator').status, 0);
  const sweep = command('sweep', 'block.toml', '--vary', 'mu=0.1:0.5:5');
  assert.equal(sweep.status, 0, sweep.stderr);
  assert.equal(sweep.stdout.trim().split('\n').length, 6);
  assert.match(sweep.stdout, /^run,mu,status,t,events,final_x,final_v\n0,0\.1,reached_end/);
  assert.match(command('models').stdout, /^gallery\/chua {2}/m);
});

test('misuse has one clear message and status 2', () => {
  for (const [words, message] of [[['run', 'no.toml'], /there is no such file/], [['fly', 'block.toml'], /no command 'fly'/], [['run'], /needs a model/],
    [['run', 'block.toml', '--set', 'mu'], /NAME=VALUE/], [['run', 'block.toml', '--set', 'nu=1'], /nu/], [['run', 'block.toml', '--colour', 'red'], /no option '--colour'/],
    [['run', 'block.toml', '--rtol', 'x'], /rtol/], [['sweep', 'block.toml'], /--vary/]]) {
    const done = command(...words);
    assert.equal(done.status, 2, `${words}: ${done.stdout}${done.stderr}`);
    assert.match(done.stderr, message);
    assert.doesNotMatch(done.stderr, /\n {4}at /);
  }
});

test('a model with mistakes tells all of them with their places', () => {
  assert.throws(() => engine.parse(block.replace('sgn(v)', 'sng(v)').replace('= "v"', '= "u"')), (error) => {
    assert.ok(error instanceof module.SlidewayError);
    assert.deepEqual(error.mistakes.map(({ line, column }) => [line, column]), [[9, 6], [10, 14]]);
    assert.match(error.mistakes[1].message, /unknown function.*got 'sng'\ndid you mean 'sgn'\?$/);
    return true;
  });
  assert.throws(() => engine.parse('[states\nx=1'), module.SlidewayError);
  // The engine is as good as before.
  assert.equal(engine.parse(block).run().status, 'reached_end');
});

test('the module: events, states at any time, settings, observed quantities', () => {
  const model = engine.parse(block);
  assert.deepEqual(model.states, ['x', 'v']);
  assert.deepEqual(model.parameters, [{ name: 'mu', value: 0.3, description: '' }]);
  const run = model.run({ options: { rtol: 1e-9 }, observe: ['E = 0.5*v^2 + 0.5*x^2'] });
  // Up to t = pi: x = 1.7 cos t + 0.3, and the block turns.
  const [x, v] = run.at(1);
  assert.ok(Math.abs(x - (1.7 * Math.cos(1) + 0.3)) < 1e-7 && Math.abs(v + 1.7 * Math.sin(1)) < 1e-7);
  assert.ok(Math.abs(run.events.find((event) => event.t > 1).t - Math.PI) < 1e-7);
  assert.ok(Math.abs(run.observedAt(0)[0] - 2) < 1e-12);
  assert.equal(run.at([0, 1, 2]).length, 3);
  assert.equal(run.statistics.events, run.eventCount);
  const weaker = model.run({ set: { mu: 0.1 } });
  assert.ok(weaker.eventCount > run.eventCount);
  run.free();
  run.free();
  assert.throws(() => model.set('nu', 1), /nu/);
});

test('a live run meets the events of the run and can be taken back', (context) => {
  const model = engine.parse(block), run = model.run();
  let live;
  try {
    live = model.live();
  } catch (error) {
    assert.equal(error.code, 4);
    context.skip(error.message);
    return;
  }
  const toEnd = (one) => {
    while (one.t < 20 && one.nextEvent(20) >= 0);
    one.advance(20);
  };
  toEnd(live);
  assert.deepEqual(live.state, run.final);
  assert.equal(live.eventCount, run.eventCount);
  // A save ends the integrator's step, so that what follows is the same again, bit for bit.
  const again = model.live();
  again.advance(2);
  const saved = again.save(), at2 = again.state;
  toEnd(again);
  const end = again.state;
  assert.equal(again.eventCount, run.eventCount);
  again.restore(saved);
  assert.equal(again.t, 2);
  assert.deepEqual(again.state, at2);
  toEnd(again);
  assert.deepEqual(again.state, end);
});

test('the memory of runs is given back', () => {
  const model = engine.parse(block);
  model.run().free();
  const size = engine.module.HEAP8.length;
  for (let k = 0; k < 300; ++k) model.run().free();
  assert.ok(engine.module.HEAP8.length <= size + (4 << 20), `${size} bytes became ${engine.module.HEAP8.length}`);
});

test('the package holds what it needs, and the C interface is the only door', () => {
  for (const file of ['index.mjs', 'index.d.ts', 'cli.mjs', 'slideway.wasm', 'slideway-wasm.mjs', 'README.md', 'LICENSE', 'gallery.json'])
    assert.ok(readdirSync(installed).includes(file), file);
  const exported = WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(join(installed, 'slideway.wasm'))));
  assert.ok(exported.filter(({ kind }) => kind === 'function').length > 40);
});
