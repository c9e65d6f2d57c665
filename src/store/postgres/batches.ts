import { AppError } from '../../kernel/index.ts';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Items of one transaction: the disk is waited for once. */
const maxItems = 1_000;

/**
 * Collects what comes while a transaction is under way into the next one.
 *
 * 1. One transaction at a time, in the order in which the items came.
 * 2. One that fails through its own fault does not disturb the others: they are then written one by one.
 */
export class Batches<Item, Result> {
  readonly #write: (items: readonly Item[]) => Promise<readonly Result[]>;
  #waiting: Waiting<Item, Result>[] = [];
  #isWriting = false;

  /** `write` gives a result for each item, in the same order; it keeps all of them or none. */
  constructor(write: (items: readonly Item[]) => Promise<readonly Result[]>) {
    this.#write = write;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#isWriting) return;
      this.#isWriting = true;
      // What else is written in this tick joins.
      process.nextTick(() => void this.#writeAll());
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.#writeThese(this.#waiting.splice(0, maxItems));
    this.#isWriting = false;
  }

  async #writeThese(members: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#write(members.map(({ item }) => item));
      for (const [place, { resolve }] of members.entries()) {
        // The contract of `write`.
        resolve(results[place] as Result);
      }
    } catch (error) {
      // What is wrong with the database is wrong for all of them.
      const isOwnFault = !(error instanceof AppError) && members.length > 1;
      for (const member of members) {
        if (isOwnFault) await this.#writeThese([member]);
        else member.reject(error);
      }
    }
  }
}
