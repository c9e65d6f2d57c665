import { randomFillSync } from 'node:crypto';

const poolBytes = 4_096;
/** Trace ids that begin alike. */
const neighbours = 256;

/** Gives random ids. Randomness is fetched in bulk, because asking for it costs more than the rest of a span. */
export class RandomIds {
  readonly #pool = Buffer.alloc(poolBytes);
  #used = poolBytes;
  #beginning = '';
  #neighboursLeft = 0;

  /**
   * The id of a trace. Those made one after the other begin with the same byte, because a store keeps
   * them sorted: spread over the whole of its index each would cost a page of its own to write.
   */
  nextTrace(): string {
    const id = this.next(16);
    if (this.#neighboursLeft === 0) {
      this.#neighboursLeft = neighbours;
      this.#beginning = id.slice(0, 2);
    }
    this.#neighboursLeft -= 1;
    const rest = id.slice(2);
    return /[^0]/.test(rest) ? this.#beginning + rest : this.nextTrace();
  }

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
