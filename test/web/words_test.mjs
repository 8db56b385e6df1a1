// The words that the editor offers, compared with what the reader of model files names in its messages.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { choices, functions, keys, keysInBraces, tables } from '../../lib/web/page/words.mjs';

const folder = mkdtempSync(join(tmpdir(), 'slideway-words-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function command(...words) {
  return spawnSync(process.env.SLIDEWAY_NATIVE, words, { cwd: folder, encoding: 'utf8' });
}
/** The words in quotes that the reader expects where it finds `wrong`. */
function expected(text, wrong = 'zzz') {
  writeFileSync(join(folder, 'model.toml'), text);
  const said = command('check', 'model.toml').stderr.split('\n').find((line) => line.includes('expected') && line.endsWith(`'${wrong}'`));
  assert.ok(said, `no message names '${wrong}' in\n${text}`);
  return [...said.slice(said.indexOf('expected')).split(', got ')[0].matchAll(/'([^']+)'/g)].map((found) => found[1]);
}
const plain = (beginning) => beginning.replace(/\$\{([^}]*)\}/g, '$1');
const beginningOf = (label) => plain(tables.find((table) => table.label === label).beginning);
const base = ['[states]', '[time]', '[derivatives]'].map(beginningOf).join('');
const isOwn = (label) => base.includes(`${label}\n`);
const sorted = (words) => [...words].sort();

test('every table of the reader is offered, and no other', () => {
  const known = expected(base + '[zzz]\n').filter((word) => !keys[''].includes(word));
  assert.deepEqual(sorted(tables.map((table) => table.label.replace(/[[\]]/g, ''))), sorted(known));
});

test('every beginning is a model that runs', () => {
  for (const { label } of tables) {
    const own = label === '[[edges]]' ? beginningOf('[[locations]]') + beginningOf(label) : isOwn(label) ? '' : beginningOf(label);
    // The reader asks for the line of a law of friction, and for the location to begin in, which stand elsewhere in the file.
    const start = label === '[friction]' ? base.replace('0.3*sgn(v)', 'F') : ['[[locations]]', '[[edges]]'].includes(label) ? 'initial = "on"\n' + base : base;
    writeFileSync(join(folder, 'model.toml'), start + own);
    const done = command('run', 'model.toml');
    assert.equal(done.status, 0, `${label}: ${done.stderr}`);
  }
});

test('the keys of every table are those of the reader', () => {
  const starts = { time: base.replace('end =', 'zzz = 1\nend ='), '': 'zzz = 1\n' + base };
  for (const [table, words] of Object.entries(keys)) {
    if (table === '') continue;
    const isList = tables.some((one) => one.label === `[[${table}]]`);
    const parent = table.includes('.') ? `[[${table.split('.')[0]}]]\nname = "a"\n` : '';
    const name = table === 'automata.locations' ? 'name = "l"\n' : '';
    const text = starts[table] ?? base + parent + (isList || parent ? `[[${table}]]` : `[${table}]`) + `\n${name}zzz = 1\n`;
    assert.deepEqual(sorted(words), sorted(expected(text)), table);
  }
});

test('the keys in braces are those of the reader', () => {
  const laws = { friction: choices['friction.law'], hysteresis: choices['hysteresis.law'] };
  for (const [table, words] of Object.entries(keysInBraces)) {
    const known = new Set();
    if (table === 'contacts') {
      for (const key of expected(base + '[[contacts]]\ngap = "x"\nacts_on = { v = "1" }\nrestitution = 0\nfriction = { mu = 0.1, zzz = 1 }\n')) known.add(key);
    } else if (table in laws) {
      for (const law of laws[table]) for (const key of expected(`${base}[${table}]\nw = { law = "${law}", zzz = 1 }\n`)) known.add(key);
    } else if (table === 'states' || table === 'derivatives') {
      for (const key of expected(base.replace(`[${table}]\n`, `[${table}]\n${table === 'states' ? 'w' : 'x'} = { zzz = 1 }\n`).replace(table === 'derivatives' ? 'x = "v"\n' : '\0', ''))) known.add(key);
    } else {
      for (const key of expected(`${base}[${table}]\nw = { zzz = 1 }\n`)) known.add(key);
    }
    assert.deepEqual(sorted(words), sorted(known), table);
  }
});

test('the choices are those of the reader', () => {
  const contact = '[[contacts]]\ngap = "x"\nacts_on = { v = "1" }\nrestitution = 0\n';
  const reset = '[[resets]]\nwhen = "x"\nset = { v = "1" }\n';
  const knots = '[inputs]\nu = { times = [0, 1], values = [0, 1], ';
  const places = {
    direction: `${reset}direction = "zzz"\n`, values: `${reset}delay = 1\nvalues = "zzz"\n`, impact_law: `${contact}impact_law = "zzz"\n`,
    in_impact: `${contact}friction = { mu = 0.1, velocity = "v", acts_on = { v = "1" }, in_impact = "zzz" }\n`, ends: '[definitions]\nd = { size = 3, value = "i", ends = "zzz" }\n',
    interpolation: `${knots}interpolation = "zzz" }\n`, extrapolation: `${knots}extrapolation = "zzz" }\n`,
    'friction.law': '[friction]\nF = { law = "zzz" }\n', 'hysteresis.law': '[hysteresis]\nr = { law = "zzz" }\n'
  };
  for (const [key, words] of Object.entries(choices))
    assert.deepEqual(sorted(words), sorted(expected(base + (places[key] ?? `[options]\n${key} = "zzz"\n`))), key);
});

test('every function is one of the reader', () => {
  for (const { label } of functions) {
    writeFileSync(join(folder, 'model.toml'), base + `[definitions]\nd = "${label}()"\n`);
    const said = command('check', 'model.toml').stderr;
    assert.ok(said !== '' && !/unknown/.test(said), `${label}: ${said}`);
  }
});
