import type { Surroundings } from './surroundings.ts';

/** How the toolchain of one language is found and recognised. */
export interface Language {
  /** What is looked for, as the object of a sentence: `python3 (3.8 or newer)`. */
  readonly wanted: string;
  readonly install: { readonly linux: string; readonly darwin: string };
  /** Paths of programs that may be it, best first; none needs to exist. */
  candidates(surroundings: Surroundings): readonly string[];
  /** Runs it and says what it is. Throws when it is not usable, with the reason. */
  examine(program: string, surroundings: Surroundings): Promise<Installation>;
}

/** A toolchain that works on the host. */
export interface Installation {
  /** What its own `--version` says: `3.11.7`. */
  readonly version: string;
  readonly program: string;
  /** All that it consists of; files or folders. What lies in the system's own folders needs not be named. */
  readonly parts: readonly string[];
  /** It works when its one part is seen at another path. */
  readonly canMove: boolean;
  /** Has everything that was wished for. */
  readonly isComplete: boolean;
  /** Folders of programs besides the one that `program` lies in. */
  readonly programFolders?: readonly string[];
  /** `at` tells where a path of the host is seen inside. */
  readonly env?: (at: (path: string) => string) => Readonly<Record<string, string>>;
}

/** Why a program that was found is not taken. */
export class NotUsable extends Error {}
