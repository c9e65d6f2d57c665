export const passageKinds = ['readme', 'types', 'docstring', 'changelog', 'doc'] as const;

export type PassageKind = (typeof passageKinds)[number];

/** A piece of a document that can be understood alone. */
export interface Passage {
  /** The way to it: `Options > Default option value`, `Command.option`. */
  readonly heading: string;
  readonly text: string;
  /** Its first line, from 1. */
  readonly line: number;
  /** `exported`: importable from the library itself; `internal`: from nowhere. */
  readonly standing?: 'exported' | 'internal';
}

export interface FiledPassage extends Passage {
  /** Relative to the package, with `/`. */
  readonly file: string;
  readonly kind: PassageKind;
}
