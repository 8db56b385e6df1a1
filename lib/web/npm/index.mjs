// The package as a module: `import { load } from 'slideway'`.
import create from './slideway-wasm.mjs';
import { Engine, Live, Model, Run, SlidewayError, engineOf } from '../engine/engine.mjs';
import { drawPicture } from '../engine/picture.mjs';

export { Engine, Live, Model, Run, SlidewayError };

Run.prototype.svg = function svg(options) { return drawPicture(this.pictureData(), options); };

async function compiled(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  const place = source ? new URL(source, import.meta.url) : new URL('./slideway.wasm', import.meta.url);
  if (place.protocol === 'file:' && typeof process === 'object') {
    const { readFile } = await import('node:fs/promises');
    return WebAssembly.compile(await readFile(place));
  }
  return WebAssembly.compile(await (await fetch(place)).arrayBuffer());
}

/** Loads the engine. `wasm` is the place of slideway.wasm, its bytes or its WebAssembly.Module, where it is not beside this file. */
export async function load({ wasm } = {}) {
  return engineOf(create, await compiled(wasm));
}
