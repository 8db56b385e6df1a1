// The editor of model files: highlighting, completion, mistakes at their places.
//
// It must not know the engine: mistakes come from outside.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, snippetCompletion } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { keysOf, tablesOf } from '../engine/model_text.mjs';
import { choices, functions, keys, keysInBraces, tables } from './words.mjs';

const known = new Set(functions.map((one) => one.label));

// TOML, in whose strings formulas stand.
const language = StreamLanguage.define({
  name: 'model',
  startState: () => ({ quote: null, long: false, isProse: false }),
  token(stream, state) {
    if (stream.sol() && !state.long) {
      state.quote = null;
      state.isProse = /^\s*(name|summary|source|direction|law)\s*=/.test(stream.string);
    }
    if (state.quote) {
      const end = state.long ? state.quote.repeat(3) : state.quote;
      if (stream.match(end)) { state.quote = null; state.long = false; return 'string'; }
      if (state.isProse) { stream.next(); return 'string'; }
      if (stream.match(/^(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?/)) return 'number';
      if (stream.match(/^[\p{L}_][\p{L}\p{N}_.]*/u)) {
        const word = stream.current();
        return known.has(word) ? 'keyword' : ['and', 'or', 'not'].includes(word) ? 'keyword' : 'variableName';
      }
      stream.next();
      return 'string';
    }
    if (stream.eatSpace()) return null;
    if (stream.peek() === '#') { stream.skipToEnd(); return 'comment'; }
    if (stream.sol() || stream.string.slice(0, stream.start).trim() === '') {
      if (stream.match(/^\[\[?[^\]]*\]?\]?/)) return 'heading';
    }
    for (const quote of ['"', "'"]) {
      if (stream.match(quote.repeat(3))) { state.quote = quote; state.long = true; return 'string'; }
      if (stream.match(quote)) { state.quote = quote; return 'string'; }
    }
    if (stream.match(/^[-+]?(\d[\d_]*\.?\d*|\.\d+)([eE][-+]?\d+)?/)) return 'number';
    if (stream.match(/^(true|false)\b/)) return 'atom';
    if (stream.match(/^[\w.-]+/)) return 'propertyName';
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: '#' } }
});

const colours = HighlightStyle.define([
  { tag: tags.heading, class: 'tok-table' }, { tag: tags.propertyName, class: 'tok-key' }, { tag: tags.variableName, class: 'tok-name' },
  { tag: tags.keyword, class: 'tok-function' }, { tag: tags.number, class: 'tok-number' }, { tag: tags.string, class: 'tok-string' },
  { tag: tags.comment, class: 'tok-comment' }, { tag: tags.atom, class: 'tok-number' }
]);

const tableOptions = tables.map(({ label, info, beginning }) => snippetCompletion(beginning, { label, info, type: 'class', boost: -10 }));
const keyOptions = (names) => names.map((label) => snippetCompletion(`${label} = \${}`, { label, type: 'property' }));

// complete() offers the words that fit at the cursor: tables with a beginning, keys of the table, choices, names and functions in formulas.
export function complete(context) {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const text = context.state.doc.toString();
  if (/^\s*\[\[?[\w.-]*$/.test(before)) return { from: line.from + before.search(/\[/), to: line.to, options: tableOptions };
  const word = context.matchBefore(/[\p{L}_][\p{L}\p{N}_.-]*/u);
  if (!word && !context.explicit) return null;
  const from = word ? word.from : context.pos;
  const table = tablesOf(text).findLast((one) => one.from <= context.pos)?.name ?? '';
  if ((before.match(/"/g) ?? []).length % 2 === 1) {
    const key = before.match(/([\w.]+)\s*=\s*"[^"]*$/)?.[1] ?? '';
    const chosen = choices[`${table}.${key}`] ?? choices[key];
    if (chosen) return { from, options: chosen.map((label) => ({ label, type: 'enum' })) };
    const names = new Set(['parameters', 'states', 'discrete', 'definitions', 'surfaces', 'friction', 'hysteresis', 'algebraic', 'inputs', 'tables']
      .flatMap((one) => keysOf(text, one)));
    return { from, options: [...[...names].map((label) => ({ label, type: 'variable' })), ...functions, { label: 't', type: 'variable' }, { label: 'pi', type: 'constant' }] };
  }
  if (/[{,]\s*[\w.]*$/.test(before)) return { from, options: keyOptions(keysInBraces[table] ?? []) };
  if (/=/.test(before)) return null;
  const names = table === 'derivatives' || table === 'mass' ? keysOf(text, 'states').map((label) => ({ label, type: 'variable' })) : [];
  return { from, options: [...names, ...keyOptions(keys[table] ?? []), ...tableOptions] };
}

// Characters of slideway's messages are those of Unicode, those of the editor have 16 bits.
function placeOf(doc, { line, column }) {
  if (line < 1) return { from: 0, to: Math.min(1, doc.length) };
  const at = doc.line(Math.min(line, doc.lines));
  const from = at.from + Math.min(at.length, [...at.text].slice(0, Math.max(0, column - 1)).join('').length);
  const rest = doc.sliceString(from, at.to);
  const word = rest.match(/^([\p{L}_][\p{L}\p{N}_.]*|[\d.]+|.)/u)?.[0] ?? '';
  return from === at.to && from > at.from ? { from: from - 1, to: from } : { from, to: from + word.length };
}

export function makeEditor(parent, { changed }) {
  let isQuiet = false;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: '',
      extensions: [
        lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), history(), drawSelection(), bracketMatching(), closeBrackets(), lintGutter(),
        autocompletion({ override: [complete], icons: false }), language, syntaxHighlighting(colours), EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': 'model file; Escape, then Tab, leaves the editor', spellcheck: 'false', tabindex: '0' }),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap, indentWithTab]),
        EditorView.updateListener.of((update) => { if (update.docChanged && !isQuiet) changed(update.state.doc.toString()); })
      ]
    })
  });
  return {
    view,
    get text() { return view.state.doc.toString(); },
    // Without a word to whoever listens for changes.
    setText(text) {
      isQuiet = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      isQuiet = false;
      this.tell([]);
    },
    tell(mistakes) {
      const { doc } = view.state;
      view.dispatch(setDiagnostics(view.state, mistakes.map((mistake) => ({ ...placeOf(doc, mistake), severity: 'error', message: mistake.message.replace(/^\S+?:\d+:\d+: /, '') }))));
    },
    goTo(mistake) {
      const { from } = placeOf(view.state.doc, mistake);
      view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
      view.focus();
    }
  };
}
