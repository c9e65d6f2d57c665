import { randomBytes } from 'node:crypto';

/** Random bytes fetched at once. */
const poolBytes = 4_096;
const allZero = /^0*$/;

/** Gives random ids. They are cut from one long text, because making each costs more than the rest of a span. */
export class RandomIds {
  #pool = '';
  #used = 0;

  /** Lower-case hex digits, two a byte; never all zero, which W3C reserves for "none". */
  next(bytes: 8 | 16): string {
    const digits = bytes * 2;
    if (this.#used + digits > this.#pool.length) {
      this.#pool = randomBytes(poolBytes).toString('hex');
      this.#used = 0;
    }
    const id = this.#pool.slice(this.#used, this.#used + digits);
    this.#used += digits;
    return id.startsWith('0') && allZero.test(id) ? this.next(bytes) : id;
  }
}
