import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** The exports of the module. */
interface GofmtExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly _initialize: () => void;
  readonly alloc: (bytes: number) => number;
  readonly format: () => number;
  readonly output_ptr: () => number;
  readonly output_len: () => number;
  readonly dispose: () => void;
}

interface WasmModule {
  readonly kind?: 'module';
}

/** What is used of `WebAssembly`, which the type library of a server program leaves out. */
interface Wasm {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  readonly Instance: new (module: WasmModule) => { readonly exports: GofmtExports };
}

// Every Node has it, with these members.
const { WebAssembly: wasm } = globalThis as unknown as { readonly WebAssembly: Wasm };

/** What the module's `format` returns. */
const unchanged = 0;
const formatted = 1;

/**
 * gofmt compiled to WASM. Its own loader keeps one instance for ever, but one that ran out of stack
 * fails at whatever it is asked next; this one replaces it.
 */
export class Gofmt {
  #module: Promise<WasmModule> | undefined;
  #instance: GofmtExports | undefined;

  /** The formatted text. Throws gofmt's own message (`line:column: what`) when `text` is not valid. */
  async format(text: string): Promise<string> {
    const engine = (this.#instance ??= instantiate(await this.#compile()));
    try {
      const bytes = new TextEncoder().encode(text);
      const address = engine.alloc(bytes.length);
      // Not before: allocating may move the memory.
      new Uint8Array(engine.memory.buffer, address, bytes.length).set(bytes);
      const result = engine.format();
      if (result === unchanged) return text;
      const output = readOutput(engine);
      if (result === formatted) return output;
      throw new GofmtMessage(output);
    } catch (error) {
      if (!(error instanceof GofmtMessage)) this.#instance = undefined;
      throw error;
    } finally {
      if (this.#instance) engine.dispose();
    }
  }

  #compile(): Promise<WasmModule> {
    const path = createRequire(import.meta.url).resolve('@wasm-fmt/gofmt/wasm');
    this.#module ??= readFile(path).then((bytes) => wasm.compile(bytes));
    return this.#module;
  }
}

/** What gofmt says about invalid input; every other failure is the engine's. */
export class GofmtMessage extends Error {}

function instantiate(module: WasmModule): GofmtExports {
  const engine = new wasm.Instance(module).exports;
  engine._initialize();
  return engine;
}

function readOutput(engine: GofmtExports): string {
  const bytes = new Uint8Array(engine.memory.buffer, engine.output_ptr(), engine.output_len());
  return new TextDecoder().decode(bytes);
}
