/**
 * Work that is done by one at a time. Whoever asks while it is being done cannot know whether it saw
 * what they mean, so it is done once more for all who asked meanwhile.
 */
export class Repeatable<Result> {
  readonly #work: () => Promise<Result>;
  #running: Promise<Result> | undefined;
  #again: Promise<Result> | undefined;

  constructor(work: () => Promise<Result>) {
    this.#work = work;
  }

  run(): Promise<Result> {
    if (!this.#running) {
      this.#running = this.#work().finally(() => (this.#running = undefined));
      return this.#running;
    }
    this.#again ??= this.#afterwards(this.#running);
    return this.#again;
  }

  async #afterwards(running: Promise<Result>): Promise<Result> {
    await running.catch(() => {});
    this.#again = undefined;
    return this.run();
  }
}
