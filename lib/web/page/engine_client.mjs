// The engine as the page sees it: requests to a worker, which can be stopped.
//
// It must not know what the requests mean.

export class Stopped extends Error {}

export class EngineClient {
  // `source` is the program of the worker.
  constructor(source) {
    this.address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    this.waiting = new Map();
    this.files = new Map();
    this.last = 0;
    this.ready = new Promise((resolve, reject) => { this.arrive = resolve; this.fail = reject; });
    this.ready.catch(() => {});
  }
  // `module` is the promise of the compiled module; the worker reads its program while the module comes.
  async begin(module) {
    this.module = module;
    try {
      this.version = (await this.start()).version;
      this.arrive(this.version);
    } catch (error) {
      this.fail(error);
    }
  }
  async start() {
    this.worker = new Worker(this.address);
    this.worker.onmessage = ({ data }) => {
      const request = this.waiting.get(data.id);
      if (!request) return;
      if (data.progress !== undefined) { request.tell?.(data.progress); return; }
      this.waiting.delete(data.id);
      if (data.error === undefined) request.resolve(data.result);
      else request.reject(Object.assign(new Error(data.error), { mistakes: data.mistakes }));
    };
    const begun = await this.send('begin', { module: await this.module });
    for (const [name, content] of this.files) await this.send('file', { name, content });
    return begun;
  }
  send(action, request, tell) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, tell });
      this.worker.postMessage({ id, action, request });
    });
  }
  async ask(action, request, tell) {
    await this.ready;
    await this.restarted;
    return this.send(action, request, tell);
  }
  async addFile(name, content) {
    this.files.set(name, content);
    await this.ask('file', { name, content });
  }
  get isBusy() { return this.waiting.size > 0; }
  // Ends what is under way; the next request finds a fresh worker.
  stop() {
    if (!this.worker) return;
    this.worker.terminate();
    for (const request of this.waiting.values()) request.reject(new Stopped('stopped'));
    this.waiting.clear();
    this.restarted = this.start();
  }
}

// The latest of several requests alone is worth an answer: while one is under way the next one waits, and a later one takes its place.
export class Latest {
  constructor(action) {
    this.action = action;
    this.running = null;
    this.next = null;
  }
  request(argument) {
    this.next = { argument };
    if (!this.running) this.running = this.follow();
    return this.running;
  }
  async follow() {
    while (this.next) {
      const { argument } = this.next;
      this.next = null;
      await this.action(argument);
    }
    this.running = null;
  }
}
