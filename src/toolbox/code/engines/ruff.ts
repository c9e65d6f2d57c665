import { createRequire } from 'node:module';
import type { Diagnostic, Workspace } from '@astral-sh/ruff-wasm-nodejs';

/** Ruff's settings, named as in `ruff.toml`. */
export type RuffOptions = Readonly<Record<string, unknown>>;

export type RuffDiagnostic = Diagnostic;

type RuffModule = typeof import('@astral-sh/ruff-wasm-nodejs');

const moduleName = '@astral-sh/ruff-wasm-nodejs';
const maxWorkspaces = 16;

/**
 * Ruff compiled to WASM: formats and lints Python in this process. Loaded when first used; one
 * workspace is kept per distinct set of options, the oldest dropped beyond `maxWorkspaces`.
 */
export class Ruff {
  readonly #workspaces = new Map<string, Workspace>();
  readonly #require = createRequire(import.meta.url);
  #engine: RuffModule | undefined;
  #version: string | undefined;

  /** The formatted text. Throws Ruff's own message when `text` is not valid Python. */
  async format(text: string, options: RuffOptions): Promise<string> {
    return this.#use(options, (workspace) => workspace.format(text));
  }

  /** Findings with lines and columns from 1; columns count UTF-16 units. */
  async check(text: string, options: RuffOptions): Promise<readonly RuffDiagnostic[]> {
    // The binding is typed `any`; `Diagnostic[]` is what its own declaration file documents.
    return this.#use(options, (workspace) => workspace.check(text) as RuffDiagnostic[]);
  }

  async version(): Promise<string> {
    this.#version ??= this.#load().Workspace.version();
    return this.#version;
  }

  /** An engine that ran out of stack has lost part of it for good: the next call gets a new one. */
  #use<Result>(options: RuffOptions, work: (workspace: Workspace) => Result): Result {
    const workspace = this.#workspace(options);
    try {
      return work(workspace);
    } catch (error) {
      if (isOverflow(error)) this.#unload();
      throw error;
    }
  }

  #workspace(options: RuffOptions): Workspace {
    const key = JSON.stringify(options);
    const kept = this.#workspaces.get(key);
    if (kept) return kept;
    const engine = this.#load();
    const workspace = new engine.Workspace(options, engine.PositionEncoding.Utf16);
    this.#workspaces.set(key, workspace);
    const [oldest] = this.#workspaces;
    if (this.#workspaces.size > maxWorkspaces && oldest) {
      this.#workspaces.delete(oldest[0]);
      oldest[1].free();
    }
    return workspace;
  }

  /** By `require`, whose cache can forget a module: an `import` would give the broken one again. */
  #load(): RuffModule {
    // What `require` returns is the module of that name.
    this.#engine ??= this.#require(moduleName) as RuffModule;
    return this.#engine;
  }

  #unload(): void {
    for (const workspace of this.#workspaces.values()) freeQuietly(workspace);
    this.#workspaces.clear();
    this.#engine = undefined;
    delete this.#require.cache[this.#require.resolve(moduleName)];
  }
}

/** V8 ends a WASM call that overflows by a `RangeError` or by WebAssembly's own `RuntimeError`. */
function isOverflow(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');
}

/** Freed by hand, a workspace is not freed by the garbage collector, which would crash on a broken one. */
function freeQuietly(workspace: Workspace): void {
  try {
    workspace.free();
  } catch {
    // It belongs to the broken engine, and goes with it.
  }
}
