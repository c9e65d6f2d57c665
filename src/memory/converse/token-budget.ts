import type { Remembered, Turn } from '../../contract/session/index.ts';

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

/** A part of a conversation, as it goes before a model. */
type Piece = string | Turn | Remembered;

/** Every word of a piece that a prompt may have in it. Tokens are counted of this. */
function spoken(piece: Piece): string {
  if (typeof piece === 'string') return piece;
  return 'role' in piece ? turnText(piece) : rememberedText(piece);
}

function turnText({ role, text, questions = [], plan, remembered }: Turn): string {
  const steps = (plan?.steps ?? []).map(({ id, tool = '' }) => `${id} ${tool}`);
  const kept = remembered.map(rememberedText);
  return [`${role}: ${text}`, ...questions, ...steps, ...kept].join('\n');
}

function rememberedText({ kind, title, language = '', content = '', artifact = '' }: Remembered) {
  return `${kind}: ${title} ${language} ${artifact}\n${content}`;
}

/**
 * What was said and with which tools; the results themselves are in `remembered`. Plans that
 * were offered beside that of the turn are for who chooses one, not for a model.
 */
export function withoutContents({ plan, remembered, alternatives: _offered, ...turn }: Turn): Turn {
  return {
    ...turn,
    ...(plan && { plan: { version: plan.version, steps: plan.steps.map(nameOnly) } }),
    remembered: remembered.map(({ kind, title, language }) => ({
      kind,
      title,
      ...(language !== undefined && { language }),
    })),
  };
}

type Step = NonNullable<Turn['plan']>['steps'][number];

function nameOnly({ id, tool }: Step): Step {
  return { id, ...(tool !== undefined && { tool }) };
}
