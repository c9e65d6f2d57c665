import type { SyntaxTrees } from '../code/syntax-tree.ts';

export const passageKinds = ['readme', 'types', 'docstring', 'changelog', 'doc'] as const;

export type PassageKind = (typeof passageKinds)[number];

/** A piece of a document that can be understood alone. */
export interface Passage {
  /** The way to it: `Options > Default option value`, `Command.option`. */
  readonly heading: string;
  readonly text: string;
  /** Its first line, from 1. */
  readonly line: number;
  /** Importable from the library itself. */
  readonly isExported?: boolean;
}

export interface FiledPassage extends Passage {
  /** Relative to the package, with `/`. */
  readonly file: string;
  readonly kind: PassageKind;
}

/** A file of a package worth reading, how it is split, and how much its passages count. */
export interface Document {
  readonly file: string;
  readonly kind: PassageKind;
  readonly weight: number;
  readonly split: (text: string, trees: SyntaxTrees) => Passage[] | Promise<Passage[]>;
}
