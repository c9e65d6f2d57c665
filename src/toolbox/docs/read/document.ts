import type { Passage, PassageKind } from '../passage.ts';

/** A file of a package worth reading, how it is split, and how much its passages count. */
export interface Document {
  readonly file: string;
  readonly kind: PassageKind;
  readonly weight: number;
  readonly split: (text: string) => Passage[];
}
