/** What slideway refuses. */
export class SlidewayError extends Error {
  /** The code of slideway.h. */
  code: number;
  /** Those of a model file; line and column count from 1, line 0 is the file as a whole. */
  mistakes: { line: number; column: number; message: string }[];
}

export interface Options {
  t_end?: number;
  rtol?: number;
  atol?: number | string;
  method?: 'auto' | 'bdf' | 'adams' | 'dopri5' | 'dop853' | 'rodas';
  on_ambiguity?: 'stop' | 'minus' | 'plus' | 'slide';
  sliding_rule?: 'filippov' | 'moments' | 'equivalent-control';
  selection?: 'consistent' | 'korobitsyn-frolova';
  linear_solver?: 'auto' | 'dense' | 'band' | 'klu' | 'gmres';
  max_step?: number;
  max_events?: number;
  max_steps?: number;
  [name: string]: string | number | boolean | null | undefined;
}

export interface PictureOptions {
  /** In pixels. */
  width?: number;
  /** Names of the quantities over time. */
  show?: string[];
  /** The phase portrait; null for none. */
  phase?: [string, string] | null;
  from?: number;
  to?: number;
  title?: string;
}

export interface Event {
  t: number;
  kind: 'crossing' | 'sliding_entry' | 'sliding_exit' | 'corner' | 'grazing' | 'reset' | 'sample' | 'transition' | 'impact' | 'contact' | 'release' |
    'zeno' | 'repelling' | 'two_fold' | 'ambiguous' | 'record' | 'stop';
  name: string | null;
  surfaces: string[];
  /** One line: why this and nothing else. */
  reason: string;
  modeBefore: string | null;
  modeAfter: string | null;
  before: number[];
  after: number[];
}

declare class Handle {
  /** Gives the memory back. Without it that happens some time after the object is no longer used. */
  free(): void;
  readonly message: string;
}

export class Model extends Handle {
  readonly states: string[];
  readonly surfaces: string[];
  readonly equations: string[];
  readonly remarks: string[];
  readonly parameters: { name: string; value: number; description: string }[];
  readonly initial: { name: string; value: number }[];
  readonly span: [number, number];
  /** Sets a parameter, or the initial value of a state. */
  set(name: string, value: number): this;
  get(name: string): number;
  options(options: Options): this;
  /** Quantities to see beside the states, "E = 0.5*v^2". */
  observe(...quantities: string[]): this;
  run(request?: { set?: Record<string, number>; options?: Options; observe?: string[] }): Run;
  live(): Live;
  /** The document of schema slideway.check/1. */
  checked(): unknown;
}

declare class WithEvents extends Handle {
  readonly eventCount: number;
  event(index: number): Event;
  readonly events: Event[];
}

export class Run extends WithEvents {
  readonly states: string[];
  readonly surfaces: string[];
  readonly observed: string[];
  readonly warnings: string[];
  readonly status: 'reached_end' | 'stopped_by_event' | 'ambiguous' | 'zeno' | 'chattering' | 'step_failure' | 'step_limit' | 'user_function_failed' |
    'stopped_by_caller';
  /** The time up to which the solution holds. */
  readonly end: number;
  readonly final: number[];
  /** The times of the steps, two where the state jumps. */
  readonly steps: Float64Array;
  readonly statistics: Record<string, number>;
  /** The states at a time, by the polynomials of the steps. */
  at(t: number, side?: 'before' | 'after'): number[];
  at(t: ArrayLike<number>, side?: 'before' | 'after'): number[][];
  observedAt(t: number): number[];
  modeAt(t: number): string | null;
  /** The text of the document of schema slideway.run/1. */
  json(): string;
  toJSON(): unknown;
  csv(): string;
  /** One HTML page that needs nothing else. */
  html(): string;
  /** The data that svg() draws: JSON in the form of this version. */
  pictureData(): string;
  /** A picture. */
  svg(options?: PictureOptions): string;
}

export class Live extends WithEvents {
  readonly states: string[];
  readonly t: number;
  readonly status: string;
  readonly state: number[];
  /** Goes on to t, through all events; returns the status. */
  advance(t: number): string;
  /** Goes on to the next event, but not beyond t; returns its number, or -1 where there was none. */
  nextEvent(t: number): number;
  setState(x: ArrayLike<number>): void;
  /** Sets a discrete state, such as an input. */
  set(name: string, value: number): void;
  save(): Handle;
  restore(saved: Handle): void;
  /** The run so far. */
  run(): Run;
}

export class Engine {
  readonly version: string;
  /** Throws a SlidewayError with all mistakes of the text. */
  parse(text: string, fileName?: string): Model;
  /** Puts a table of data where model files find it. */
  addFile(name: string, content: string | Uint8Array): void;
}

/** Loads the engine. `wasm` is the place of slideway.wasm, its bytes or its module, where it is not beside index.mjs. */
export function load(options?: { wasm?: string | URL | ArrayBuffer | Uint8Array | WebAssembly.Module }): Promise<Engine>;
