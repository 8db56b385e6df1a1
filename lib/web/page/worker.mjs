// The worker: holds the engine, and one model and run at a time. The page ends it to stop a run, and begins another with the same
// compiled module.
import create from 'slideway-wasm';
import { engineOf } from '../engine/engine.mjs';

let engine = null, model = null, modelText = null, run = null;

function parsed(text) {
  if (text === modelText && model) return model;
  model?.free();
  model = null;
  modelText = null;
  model = engine.parse(text);
  modelText = text;
  return model;
}

// A model keeps what is set: a request tells all of it, and the rest is taken back by reading the model again.
let lastRequest = '';
function settled({ text, set, options, observe }) {
  const kind = JSON.stringify([Object.keys(set), Object.keys(options), observe]);
  if (kind !== lastRequest && model) modelText = null;
  lastRequest = kind;
  const isNew = text !== modelText;
  const of = parsed(text);
  for (const [name, value] of Object.entries(set)) of.set(name, value);
  of.options(options);
  if (isNew) of.observe(...observe);
  return of;
}

const actions = {
  async begin({ module }) {
    engine = await engineOf(create, module);
    return { version: engine.version };
  },
  file({ name, content }) {
    engine.addFile(name, content);
    modelText = null;
  },
  describe({ text }) {
    const of = engine.parse(text);
    try {
      return { parameters: of.parameters, initial: of.initial, span: of.span, surfaces: of.surfaces, equations: of.equations, remarks: of.remarks,
        contacts: of.list('contacts'), events: of.list('events'), observed: of.observed };
    } finally {
      of.free();
    }
  },
  run(request) {
    const begin = performance.now();
    const of = settled(request);
    run?.free();
    run = null;
    run = of.run();
    const followed = performance.now();
    const picture = run.pictureData();
    const [low, high] = run.values('span');
    return { status: run.status, message: run.message, warnings: run.warnings, events: run.eventCount, from: low, to: high, picture,
      milliseconds: followed - begin, page: performance.now() - followed };
  },
  sweep(request, tell) {
    const of = settled(request);
    const rows = [];
    request.values.forEach((value, k) => {
      of.set(request.parameter, value);
      const one = of.run();
      rows.push({ value, status: one.status, t: one.end, events: one.eventCount, final: one.final });
      one.free();
      if (k % 5 === 4) tell({ done: k + 1 });
    });
    modelText = null;
    return { states: of.states, rows };
  },
  html() { return run.html(); },
  json() { return run.json(); },
  csv() { return run.csv(); },
  check(request) { return settled(request).checked(); }
};

self.onmessage = async ({ data: { id, action, request } }) => {
  try {
    const result = await actions[action](request ?? {}, (progress) => self.postMessage({ id, progress }));
    self.postMessage({ id, result });
  } catch (error) {
    if (action === 'run' || action === 'sweep') modelText = null;
    self.postMessage({ id, error: error.message ?? String(error), mistakes: error.mistakes ?? [] });
  }
};
