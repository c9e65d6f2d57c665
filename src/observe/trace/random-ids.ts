import { randomFillSync } from 'node:crypto';

const poolBytes = 4_096;

/** Gives random ids. Randomness is fetched in bulk, because asking for it costs more than the rest of a span. */
export class RandomIds {
  readonly #pool = Buffer.alloc(poolBytes);
  #used = poolBytes;

  /** Lower-case hex digits, two a byte; never all zero, which W3C reserves for "none". */
  next(bytes: 8 | 16): string {
    if (this.#used + bytes > poolBytes) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const id = this.#pool.toString('hex', this.#used, this.#used + bytes);
    this.#used += bytes;
    return /[^0]/.test(id) ? id : this.next(bytes);
  }
}
