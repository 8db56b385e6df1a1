// Questions about a model file that its text answers without the engine.

/** The strings at the top of the file: name, summary, source. */
export function headOf(text) {
  const top = text.split(/^\s*\[/m)[0];
  const head = {};
  for (const [, key, value] of top.matchAll(/^\s*(name|summary|source)\s*=\s*"((?:[^"\\]|\\.)*)"/gm)) head[key] = value.replace(/\\(.)/g, '$1');
  return head;
}

/** The files of data that the model reads. */
export const dataFilesOf = (text) => [...text.matchAll(/\bfile\s*=\s*"([^"]+)"/g)].map((found) => found[1]);

/** Where each table begins: { name, from, to } in characters of the text. */
export function tablesOf(text) {
  const heads = [...text.matchAll(/^[ \t]*(\[\[?)\s*([A-Za-z_.-]+)\s*\]\]?.*$/gm)];
  return heads.map((head, k) => ({ name: head[2], from: head.index + head[0].length, to: heads[k + 1]?.index ?? text.length }));
}

/** The keys of all tables of a name, in order. */
export function keysOf(text, table) {
  const keys = [];
  for (const { name, from, to } of tablesOf(text)) {
    if (name !== table) continue;
    for (const [, key] of text.slice(from, to).matchAll(/^[ \t]*"?([\p{L}_][\p{L}\p{N}_.]*)"?\s*=/gmu)) keys.push(key);
  }
  return keys;
}

/** The text with other numbers for parameters and initial values; those whose line is no plain number are returned, too. */
export function withValues(text, values) {
  const left = { ...values };
  for (const table of ['parameters', 'states', 'discrete']) {
    for (const { name, from, to } of tablesOf(text).reverse()) {
      if (name !== table) continue;
      const part = text.slice(from, to).replace(/^([ \t]*"?([\p{L}_][\p{L}\p{N}_.]*)"?\s*=\s*)([-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?=\s*(?:#|$))/gmu,
        (whole, before, key) => {
          if (!(key in left)) return whole;
          const value = left[key];
          delete left[key];
          return before + numberText(value);
        });
      text = text.slice(0, from) + part + text.slice(to);
    }
  }
  return { text, left };
}

/** A number as TOML writes a float. */
export function numberText(value) {
  const text = String(value);
  return /^-?\d+$/.test(text) ? text + '.0' : text.replace(/e\+?/, 'e');
}

/** A number as people write it, with a point or a comma; NaN for anything else. */
export function numberIn(text) {
  const plain = text.trim().replace(/−/g, '-');
  const point = /^[^.,]*,[^.,]*$/.test(plain) ? plain.replace(',', '.') : plain;
  return /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(point) ? Number(point) : NaN;
}

const quoted = (text) => (text.includes("'''") ? JSON.stringify(text) : `r'''\n${text}'''`);

/** A program that runs the model as it is set, in Python or C++. */
export function programText(language, text, { set = {}, options = {}, observe = [] } = {}) {
  const settings = Object.entries(set), given = Object.entries(options);
  if (language === 'python') {
    const words = [];
    if (settings.length) words.push(`settings={${settings.map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(', ')}}`);
    for (const [name, value] of given) words.push(`${name}=${typeof value === 'number' ? value : JSON.stringify(value)}`);
    if (observe.length) words.push(`observe=${JSON.stringify(observe)}`);
    return `import slideway\n\nmodel = slideway.parse(${quoted(text)})\nresult = model.run(${words.join(', ')})\nprint(result)\n`;
  }
  const choices = { method: 'method_from', on_ambiguity: 'ambiguity_from' };
  const lines = given.map(([name, value]) => (name === 't_end' ? `  instance.end = ${value};\n`
    : name in choices ? `  options.${name} = slideway::${choices[name]}(${JSON.stringify(value)});\n` : `  options.${name} = ${value};\n`)).join('');
  return `#include <iostream>

#include "slideway/io/model_file.hpp"
#include "slideway/simulate/simulator.hpp"

int main() {
  const slideway::Model model = slideway::parse_model(R"toml(${text})toml", "model.toml");
  slideway::ModelInstance instance = model.instantiate({${settings.map(([name, value]) => `{${JSON.stringify(name)}, ${value}}`).join(', ')}});
  slideway::Options options;
${lines}  const slideway::Solution solution = slideway::Simulator(instance.problem(), options)
      .run({.start = instance.start, .end = instance.end, .state = instance.state});
  for (const slideway::EventRecord& event : solution.events) std::cout << event << '\\n';
  std::cout << solution.final.state << '\\n';
}
`;
}
