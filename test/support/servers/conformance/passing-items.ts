import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type ListName = 'tools' | 'prompts';

/** What comes and goes when a list is told to change: the same for all processes with one folder. */
export class PassingItems {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  of(list: ListName): string[] {
    return existsSync(this.#file(list)) ? ['test_passing'] : [];
  }

  change(list: ListName): void {
    const isThere = this.of(list).length > 0;
    if (isThere) rmSync(this.#file(list));
    else writeFileSync(this.#file(list), '');
  }

  #file(list: ListName): string {
    return join(this.#folder, `passing-${list}`);
  }
}
