import { inspect } from 'node:util';

const hidden = '[hidden]';

/** A value that shows itself only to who asks for it by `reveal()`: not in logs, JSON or templates. */
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
