import { spoken, type Piece } from './spoken.ts';

/** Counts tokens; never less than the model does. */
export type CountTokens = (text: string) => number;

const cutMark = '…';
/** Texts are cut to this many characters a token before anything is counted: hardly any has more in the mean. */
const maxCharactersPerToken = 8;
/** What sets one piece apart from the next. */
const tokensBetween = 3;

/** What is left of a number of tokens, and what a piece of a conversation takes of it. */
export class TokenBudget {
  readonly max: number;
  readonly #count: CountTokens;
  #used = 0;

  constructor(max: number, count: CountTokens) {
    this.max = Math.max(0, Math.floor(max));
    this.#count = count;
  }

  get used(): number {
    return this.#used;
  }

  get left(): number {
    return this.max - this.#used;
  }

  costOf(piece: Piece): number {
    return this.#count(spoken(piece)) + tokensBetween;
  }

  /** Takes what a piece costs, and says whether there was as much. */
  take(piece: Piece, limit = this.left): boolean {
    const cost = this.costOf(piece);
    if (cost > Math.min(limit, this.left)) return false;
    this.#used += cost;
    return true;
  }

  /**
   * Takes a piece with as much of its text as fits; undefined when nothing worth it does. `make` gives
   * the piece for a text.
   */
  takeCut<Made extends Piece>(cuttable: Cuttable<Made>, limit = this.left): Made | undefined {
    const piece = this.cut(cuttable, limit);
    return piece !== undefined && this.take(piece, limit) ? piece : undefined;
  }

  /** The same, and takes nothing. */
  cut<Made extends Piece>({ text, make }: Cuttable<Made>, limit: number): Made | undefined {
    const within = Math.min(limit, this.left);
    const bounded = text.slice(0, Math.max(0, within) * maxCharactersPerToken);
    const whole = make(text);
    if (bounded.length === text.length && this.costOf(whole) <= within) return whole;
    let [fits, tooMuch] = [0, bounded.length + 1];
    while (tooMuch - fits > 1) {
      const middle = Math.floor((fits + tooMuch) / 2);
      if (this.costOf(make(cutAt(bounded, middle))) <= within) fits = middle;
      else tooMuch = middle;
    }
    return fits < Math.min(minShown, text.length) ? undefined : make(cutAt(bounded, fits));
  }
}

interface Cuttable<Made extends Piece> {
  readonly text: string;
  readonly make: (text: string) => Made;
}

/** Less of a text than this says nothing. */
const minShown = 20;

function cutAt(text: string, length: number): string {
  // Half of a surrogate pair is no character.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) ? length - 1 : length;
  return text.slice(0, end) + cutMark;
}
