import { createHash } from 'node:crypto';
import type { Diagnostic, Workspace } from '@astral-sh/ruff-wasm-nodejs';

/** Ruff's settings, named as in `ruff.toml`. */
export type RuffOptions = Readonly<Record<string, unknown>>;

export type RuffDiagnostic = Diagnostic;

const maxWorkspaces = 16;

/**
 * Ruff compiled to WASM: formats and lints Python in this process. Loaded when first used; one
 * workspace is kept per distinct set of options, the oldest dropped beyond `maxWorkspaces`.
 */
export class Ruff {
  readonly #workspaces = new Map<string, Workspace>();
  #engine: Promise<typeof import('@astral-sh/ruff-wasm-nodejs')> | undefined;

  /** The formatted text. Throws Ruff's own message when `text` is not valid Python. */
  async format(text: string, options: RuffOptions): Promise<string> {
    return (await this.#workspace(options)).format(text);
  }

  /** Findings with lines and columns from 1; columns count UTF-16 units. */
  async check(text: string, options: RuffOptions): Promise<readonly RuffDiagnostic[]> {
    // The binding is typed `any`; `Diagnostic[]` is what its own declaration file documents.
    return (await this.#workspace(options)).check(text) as RuffDiagnostic[];
  }

  async version(): Promise<string> {
    return (await this.#load()).Workspace.version();
  }

  async #workspace(options: RuffOptions): Promise<Workspace> {
    const key = createHash('sha1').update(JSON.stringify(options)).digest('hex');
    const kept = this.#workspaces.get(key);
    if (kept) return kept;
    const engine = await this.#load();
    const workspace = new engine.Workspace(options, engine.PositionEncoding.Utf16);
    this.#workspaces.set(key, workspace);
    const [oldest] = this.#workspaces;
    if (this.#workspaces.size > maxWorkspaces && oldest) {
      this.#workspaces.delete(oldest[0]);
      oldest[1].free();
    }
    return workspace;
  }

  #load(): Promise<typeof import('@astral-sh/ruff-wasm-nodejs')> {
    this.#engine ??= import('@astral-sh/ruff-wasm-nodejs');
    return this.#engine;
  }
}
