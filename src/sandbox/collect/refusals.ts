import type { SandboxObservation } from '../../contract/sandbox/index.ts';
import { printable } from './printable.ts';

/** Told one by one; the rest as a number. */
const maxTold = 20;
const maxPathCharacters = 200;

/** The files that were not brought back, and why. */
export class Refusals {
  readonly #told: string[] = [];
  #untold = 0;

  add(path: string, reason: string): void {
    if (this.#told.length >= maxTold) this.#untold += 1;
    else this.#told.push(`"${printable(shorten(path))}" was not collected: ${reason}`);
  }

  observations(): SandboxObservation[] {
    const rest = this.#untold === 0 ? [] : [`${this.#untold} more files were not collected`];
    return [...this.#told, ...rest].map((message) => ({ kind: 'file_not_collected', message }));
  }
}

function shorten(path: string): string {
  return path.length <= maxPathCharacters ? path : `…${path.slice(-maxPathCharacters)}`;
}
