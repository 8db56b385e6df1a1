// Questions about model files that their text answers without the engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataFilesOf, headOf, keysOf, numberIn, numberText, programText, withValues } from '../../lib/web/engine/model_text.mjs';

const text = `# a comment
name = "belt"
summary = "with \\"quotes\\""
[parameters]
mu = 0.4   # friction
w = "2*mu"
[states]
x = 1.0
v = -2
[derivatives]
x = "v"
v = "-x - mu*sgn(v)"
`;

test('the head of a model', () => {
  assert.deepEqual(headOf(text), { name: 'belt', summary: 'with "quotes"' });
  assert.deepEqual(headOf('[parameters]\nname = "no"\n'), {});
});

test('the keys of a table', () => {
  assert.deepEqual(keysOf(text, 'states'), ['x', 'v']);
  assert.deepEqual(keysOf(text, 'parameters'), ['mu', 'w']);
  assert.deepEqual(keysOf(text, 'surfaces'), []);
});

test('values go into the lines of parameters and states, and nowhere else', () => {
  const { text: changed, left } = withValues(text, { mu: 0.25, v: 3, w: 9 });
  assert.match(changed, /^mu = 0\.25 {3}# friction$/m);
  assert.match(changed, /^v = 3\.0$/m);
  assert.match(changed, /^v = "-x - mu\*sgn\(v\)"$/m);
  assert.deepEqual(left, { w: 9 });
  assert.equal(withValues('[parameters]\n"ω" = 1.0\n', { ω: 2 }).text, '[parameters]\n"ω" = 2.0\n');
});

test('numbers as people and TOML write them', () => {
  assert.equal(numberIn('0,25'), 0.25);
  assert.equal(numberIn(' −1.5e-3 '), -0.0015);
  assert.equal(numberIn('.5'), 0.5);
  for (const wrong of ['', 'x', '1,000.5', '1.2.3', '1,2,3', '--1']) assert.ok(Number.isNaN(numberIn(wrong)), wrong);
  assert.equal(numberText(3), '3.0');
  assert.equal(numberText(1e-7), '1e-7');
  assert.equal(numberText(1e25), '1e25');
});

test('the files of data', () => {
  assert.deepEqual(dataFilesOf('[inputs]\nu = { file = "u.csv", column = "u" }\n'), ['u.csv']);
});

test('a program in Python and in C++', () => {
  const set = { mu: 0.3 }, options = { rtol: 1e-8 };
  assert.match(programText('python', text, { set, options }), /slideway\.parse\(r'''/);
  assert.match(programText('python', text, { set, options }), /model\.run\(settings=\{"mu": 0\.3\}, rtol=1e-8\)/);
  assert.match(programText('cpp', text, { options: { t_end: 3, method: 'bdf' } }), /instance\.end = 3;\n  options\.method = slideway::method_from\("bdf"\);/);
  assert.match(programText('cpp', text, { set, options }), /instantiate\(\{\{"mu", 0\.3\}\}\)/);
});
