import type { Caller } from '../../contract/caller/index.ts';

/** What is remembered for people, as far as the agent needs it. */
export interface Notes {
  remember(caller: Caller, note: NewNote): Promise<unknown>;
  /** Which note a text ends, and which it may end. */
  compare(
    caller: Caller,
    text: string,
    options: { readonly isCorrection: boolean; readonly isEverywhere: boolean },
  ): Promise<{ readonly replaces: KeptNote | null; readonly unclear: readonly KeptNote[] }>;
  correct(caller: Caller, id: string, note: NewNote): Promise<unknown>;
  search(query: {
    readonly caller: Caller;
    readonly text: string;
    readonly filter: NoteFilter;
    readonly limit: number;
    readonly signal: AbortSignal;
  }): Promise<{
    readonly hits: readonly {
      readonly item: KeptNote;
      /** From where it is known, and why it was found. */
      readonly receipt: { readonly because: string };
    }[];
    readonly isAnswerable: boolean;
  }>;
  forget(caller: Caller, ids: readonly string[]): Promise<unknown>;
  list(
    caller: Caller,
    filter: NoteFilter,
    page: { readonly limit: number },
  ): Promise<readonly KeptNote[]>;
}

export interface NewNote {
  readonly text: string;
  readonly kind: 'fact' | 'decision';
  readonly source: {
    readonly kind: 'turn';
    readonly session: string;
    readonly turn: number;
    readonly role: 'user';
  };
  /** The user said these words. */
  readonly isVouchedFor: true;
  /** About no project; otherwise it belongs to the one that this process works in. */
  readonly isEverywhere?: boolean;
}

export interface NoteFilter {
  readonly kinds: readonly ('fact' | 'decision')[];
  /** ISO 8601: what holds then. */
  readonly validAt: string;
}

export interface KeptNote {
  readonly id: string;
  readonly text: string;
  readonly observedAt: string;
  /** The project it was told in, where it is about one. */
  readonly source: { readonly folder?: string };
}
