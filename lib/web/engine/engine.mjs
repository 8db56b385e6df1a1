// Models and runs as JavaScript objects, over the C interface (slideway.h) of the compiled library.
//
// It must not know pages, files or workers.

const OK = 0, STOPPED = 1, SPACE = 5;
const SIDES = { before: 0, after: 1 };

/** What slideway refuses, with its code of slideway.h; `mistakes` are those of a model file. */
export class SlidewayError extends Error {
  constructor(message, code, mistakes = []) {
    super(message);
    this.name = 'SlidewayError';
    this.code = code;
    this.mistakes = mistakes;
  }
}

// Arguments of a call that live in the memory of the module, given back after it.
class Arguments {
  constructor(module) {
    this.module = module;
    this.places = [];
  }
  room(bytes) {
    const place = this.module._malloc(Math.max(bytes, 8));
    if (place === 0) throw new SlidewayError('memory is out', 6);
    this.places.push(place);
    return place;
  }
  text(value) {
    const length = this.module.lengthBytesUTF8(value) + 1;
    const place = this.room(length);
    this.module.stringToUTF8(value, place, length);
    return place;
  }
  numbers(values) {
    const place = this.room(8 * values.length);
    this.module.HEAPF64.set(values, place >> 3);
    return place;
  }
  release() {
    for (const place of this.places) this.module._free(place);
  }
}

class Handle {
  constructor(engine, pointer) {
    this.engine = engine;
    this.pointer = pointer;
    engine.given?.register(this, pointer, this);
  }
  /** Gives the memory back. Without it that happens some time after the object is no longer used. */
  free() {
    if (this.pointer === 0) return;
    this.engine.given?.unregister(this);
    this.engine.module._sw_free(this.pointer);
    this.pointer = 0;
  }
  /** What slideway says about the last call. */
  get message() {
    return this.engine.module.UTF8ToString(this.engine.module._sw_message(this.pointer));
  }
  list(name) {
    return this.engine.with((a) => {
      const { module } = this.engine, list = a.text(name), entries = [];
      const count = Number(module._sw_count(this.pointer, list));
      for (let k = 0; k < count; ++k) {
        const entry = module._sw_name(this.pointer, list, BigInt(k));
        entries.push(entry === 0 ? '' : module.UTF8ToString(entry));
      }
      return entries;
    });
  }
  count(name) {
    return this.engine.with((a) => Number(this.engine.module._sw_count(this.pointer, a.text(name))));
  }
  values(name) {
    return this.engine.numbers((a, place, capacity, count) =>
      this.engine.module._sw_values(this.pointer, a.text(name), place, BigInt(capacity), count), this);
  }
  document(format) {
    return this.engine.with((a) => {
      const { module } = this.engine, text = a.room(4);
      this.check(module._sw_document(this.pointer, a.text(format), text, 0));
      return module.UTF8ToString(module.HEAPU32[text >> 2]);
    });
  }
  check(code) {
    if (code !== OK && code !== STOPPED) throw new SlidewayError(this.message, code);
    return code;
  }
}

/** A model, with what is set for its runs. */
export class Model extends Handle {
  get states() { return this.list('states'); }
  get surfaces() { return this.list('surfaces'); }
  get equations() { return this.list('equations'); }
  get remarks() { return this.list('remarks'); }
  get observed() { return this.list('observed'); }
  get span() { return Array.from(this.values('span')); }
  get parameters() {
    const names = this.list('parameters'), notes = this.list('descriptions'), values = this.values('parameters');
    return names.map((name, k) => ({ name, value: values[k], description: notes[k] ?? '' }));
  }
  get initial() {
    const names = this.states, values = this.values('initial');
    return names.map((name, k) => ({ name, value: values[k] }));
  }
  /** Sets a parameter, or the initial value of a state. */
  set(name, value) {
    this.engine.with((a) => this.check(this.engine.module._sw_set(this.pointer, a.text(name), value)));
    return this;
  }
  get(name) {
    return this.engine.with((a) => {
      const place = a.room(8);
      this.check(this.engine.module._sw_get(this.pointer, a.text(name), place));
      return this.engine.module.HEAPF64[place >> 3];
    });
  }
  /** Options by their names in slideway.h: { rtol: 1e-8, method: 'bdf', t_end: 20 }. Null takes one back. */
  options(options) {
    const quoted = (value) => {
      const text = value === null || value === undefined ? '' : String(value);
      return /\s/.test(text) ? `'${text}'` : text;
    };
    const text = Object.entries(options).map(([name, value]) => `${name}=${quoted(value)}`).join(' ');
    if (text) this.engine.with((a) => this.check(this.engine.module._sw_options(this.pointer, a.text(text))));
    return this;
  }
  /** Asks for a quantity beside the states, "E = 0.5*v^2". */
  observe(...quantities) {
    for (const quantity of quantities)
      this.engine.with((a) => this.check(this.engine.module._sw_observe(this.pointer, a.text(quantity))));
    return this;
  }
  /** Follows the model. A run that ends early is a result, too: see its status. */
  run({ set = {}, options = {}, observe = [] } = {}) {
    for (const [name, value] of Object.entries(set)) this.set(name, value);
    this.options(options).observe(...observe);
    return this.engine.made(Run, (out) => this.engine.module._sw_solve(this.pointer, out));
  }
  /** A run that the caller drives step by step. */
  live() {
    return this.engine.made(Live, (out) => this.engine.module._sw_live_begin(this.pointer, out));
  }
  /** The JSON document of schema slideway.check/1. */
  checked() { return JSON.parse(this.document('check')); }
}

class WithEvents extends Handle {
  get eventCount() { return this.count('events'); }
  eventText(k, what) {
    return this.engine.with((a) => {
      const text = this.engine.module._sw_event_text(this.pointer, BigInt(k), a.text(what));
      return text === 0 ? null : this.engine.module.UTF8ToString(text);
    });
  }
  eventValues(k, what) {
    return this.engine.numbers((a, place, capacity, count) =>
      this.engine.module._sw_event_values(this.pointer, BigInt(k), a.text(what), place, BigInt(capacity), count), this);
  }
  event(k) {
    const text = (what) => this.eventText(k, what), values = (what) => Array.from(this.eventValues(k, what));
    return {
      t: this.eventValues(k, 't')[0], kind: text('kind'), name: text('name'),
      surfaces: (text('surfaces') || '').split(' ').filter((surface) => surface),
      reason: text('reason'), modeBefore: text('before'), modeAfter: text('after'), before: values('before'), after: values('after')
    };
  }
  get events() {
    return Array.from({ length: this.eventCount }, (_, k) => this.event(k));
  }
}

/** A run that is over. */
export class Run extends WithEvents {
  get states() { return this.list('states'); }
  get surfaces() { return this.list('surfaces'); }
  get observed() { return this.list('observed'); }
  get warnings() { return this.list('warnings'); }
  get final() { return Array.from(this.values('final')); }
  get steps() { return this.values('steps'); }
  /** "reached_end", "stopped_by_event", "ambiguous", …, as in slideway.h. */
  get status() { return this.engine.module.UTF8ToString(this.engine.module._sw_status(this.pointer, 0)); }
  /** The time up to which the solution holds. */
  get end() { return this.values('span')[1]; }
  get statistics() {
    const values = this.values('statistics');
    return Object.fromEntries(this.list('statistics').map((name, k) => [name, values[k]]));
  }
  /** The states at a time, or one array of them for each of several times. At a jump, those on the side "before" or "after". */
  at(t, side = 'after') {
    const times = typeof t === 'number' ? [t] : Array.from(t), n = this.count('states');
    const all = this.engine.with((a) => {
      const place = a.room(8 * n * times.length);
      this.check(this.engine.module._sw_states(this.pointer, a.numbers(times), BigInt(times.length), SIDES[side], place,
        BigInt(n * times.length)));
      return this.engine.module.HEAPF64.slice(place >> 3, (place >> 3) + n * times.length);
    });
    const states = times.map((_, k) => Array.from(all.subarray(n * k, n * (k + 1))));
    return typeof t === 'number' ? states[0] : states;
  }
  /** The observed quantities at a time. */
  observedAt(t) {
    const n = this.count('observed');
    return this.engine.with((a) => {
      const place = a.room(8 * n);
      this.check(this.engine.module._sw_observed(this.pointer, a.numbers([t]), 1n, place, BigInt(n)));
      return Array.from(this.engine.module.HEAPF64.slice(place >> 3, (place >> 3) + n));
    });
  }
  modeAt(t) {
    const mode = this.engine.module._sw_mode(this.pointer, t, 0);
    return mode === 0 ? null : this.engine.module.UTF8ToString(mode);
  }
  /** The text of the JSON document of schema slideway.run/1, and what it says. */
  json() { return this.document('json'); }
  toJSON() { return JSON.parse(this.json()); }
  csv() { return this.document('csv'); }
  /** The report: one HTML page that needs nothing else. */
  html() { return this.document('page'); }
  /** The data of the pictures, for drawPicture() and programOf(). */
  pictureData() { return this.document('picture'); }
}

/** A run that the caller drives. */
export class Live extends WithEvents {
  get states() { return this.list('states'); }
  get t() {
    return this.engine.with((a) => {
      const place = a.room(8);
      this.engine.module._sw_live_status(this.pointer, place);
      return this.engine.module.HEAPF64[place >> 3];
    });
  }
  get status() { return this.engine.module.UTF8ToString(this.engine.module._sw_live_status(this.pointer, 0)); }
  get state() { return Array.from(this.values('state')); }
  /** Goes on to t, through all events; returns the status. */
  advance(t) {
    this.check(this.engine.module._sw_live_advance(this.pointer, t));
    return this.status;
  }
  /** Goes on to the next event, but not beyond t; returns its number, or -1 where there was none. */
  nextEvent(t) {
    return this.engine.with((a) => {
      const place = a.room(8);
      this.check(this.engine.module._sw_live_next_event(this.pointer, t, place));
      return this.engine.module.HEAP32[place >> 2];
    });
  }
  setState(x) {
    this.engine.with((a) => this.check(this.engine.module._sw_live_set_states(this.pointer, a.numbers(x), BigInt(x.length))));
  }
  /** Sets a discrete state, such as an input. */
  set(name, value) {
    this.engine.with((a) => {
      const index = this.engine.module._sw_index(this.pointer, a.text('states'), a.text(name));
      if (index < 0n) throw new SlidewayError(this.message, 3);
      this.check(this.engine.module._sw_live_set(this.pointer, index, value));
    });
  }
  save() { return this.engine.made(Handle, (out) => this.engine.module._sw_live_save(this.pointer, out)); }
  restore(saved) { this.check(this.engine.module._sw_live_restore(this.pointer, saved.pointer)); }
  /** The run so far. */
  run() { return this.engine.made(Run, (out) => this.engine.module._sw_live_run(this.pointer, out)); }
}

export class Engine {
  constructor(module) {
    this.module = module;
    this.given = typeof FinalizationRegistry === 'function' ? new FinalizationRegistry((pointer) => module._sw_free(pointer)) : null;
  }
  get version() { return this.module.UTF8ToString(this.module._sw_version()); }
  with(action) {
    const a = new Arguments(this.module);
    try { return action(a); } finally { a.release(); }
  }
  // A call that writes numbers is asked for their count first.
  numbers(call, handle) {
    return this.with((a) => {
      const count = a.room(8);
      const code = call(a, 0, 0, count);
      if (code !== SPACE) handle.check(code);
      const size = this.module.HEAP32[count >> 2], place = a.room(8 * size);
      if (size > 0) handle.check(call(a, place, size, count));
      return this.module.HEAPF64.slice(place >> 3, (place >> 3) + size);
    });
  }
  made(Kind, call) {
    return this.with((a) => {
      const out = a.room(4);
      const code = call(out);
      const handle = new Kind(this, this.module.HEAPU32[out >> 2]);
      if (code !== OK && code !== STOPPED) {
        const error = new SlidewayError(handle.message, code, handle instanceof Model ? this.mistakes(handle) : []);
        handle.free();
        throw error;
      }
      return handle;
    });
  }
  mistakes(model) {
    return this.with((a) => {
      const line = a.room(8), column = a.room(8), text = a.room(4), found = [];
      const { module } = this, count = model.count('mistakes');
      for (let k = 0; k < count; ++k) {
        module._sw_mistake(model.pointer, BigInt(k), line, column, text);
        found.push({ line: module.HEAP32[line >> 2], column: module.HEAP32[column >> 2], message: module.UTF8ToString(module.HEAPU32[text >> 2]) });
      }
      return found;
    });
  }
  /** Reads a model from the text of a model file. Throws a SlidewayError with all its mistakes. */
  parse(text, fileName = 'model.toml') {
    return this.made(Model, (out) => this.with((a) => this.module._sw_parse(a.text(text), -1n, a.text(fileName), out)));
  }
  /** Puts a file where model files find it, as a table of data beside them. */
  addFile(name, content) {
    this.module.FS.writeFile(name, content);
  }
}

/** The engine of a compiled WebAssembly.Module, or of its bytes. `create` is what emscripten made. */
export async function engineOf(create, compiled) {
  const wasm = compiled instanceof WebAssembly.Module ? compiled : await WebAssembly.compile(compiled);
  let failed = null;
  const module = await new Promise((resolve, reject) => {
    create({
      instantiateWasm(imports, receive) {
        WebAssembly.instantiate(wasm, imports).then((instance) => receive(instance, wasm), (error) => { failed = error; reject(error); });
        return {};
      },
      print: () => {},
      printErr: () => {}
    }).then(resolve, reject);
  });
  if (failed) throw failed;
  return new Engine(module);
}
