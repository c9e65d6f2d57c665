import { inspect } from 'node:util';
import patterns from './secret-patterns.json' with { type: 'json' };

const hidden = '[hidden]';

/** A value that only `reveal()` returns: hidden in logs, JSON and templates. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return hidden;
  }

  toJSON(): string {
    return hidden;
  }

  [inspect.custom](): string {
    return hidden;
  }
}

/** A kind of secret that its form gives away. The scanner looks for `pattern`, logs and traces lose what fits `hide`. */
export interface SecretPattern {
  readonly id: string;
  readonly title: string;
  /** Gives access by itself. */
  readonly critical?: boolean | undefined;
  /** Text without which the pattern cannot match; lower case where it ignores case. */
  readonly hint: string;
  /** Runs in linear time; the secret is its group `secret`, or all of it. `(?i)` in front ignores case. */
  readonly pattern: string;
  /** Bits per character below which a match is no secret. */
  readonly minEntropy?: number | undefined;
  /** Also fits what is cut off or of another length: hiding too much costs less than showing a secret. */
  readonly hide?: string | undefined;
}

/** Where two patterns overlap, the earlier one names the secret. */
export const secretPatterns: readonly SecretPattern[] = patterns;
