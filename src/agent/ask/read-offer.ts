import type { Session } from '../../contract/session/index.ts';
import { readChoice, readShortReply } from '../../kernel/index.ts';
import { offeredSteps, sameVerbs } from '../answer/index.ts';

/** What "do it" means after an answer that says what could be said next. */
export type Offer =
  | { readonly kind: 'taken'; readonly say: string }
  /** Yes to several at once. */
  | { readonly kind: 'unclear'; readonly among: readonly string[] };

const politeness = /\b(?:please|now|then|ok|okay|yes|the|changes?|it|that|this)\b/gi;

/** Reads a message as yes to what the last answer offered: "go ahead", "apply", "2"; undefined for any other. */
export function readOffer(words: string, { turns }: Session): Offer | undefined {
  const last = turns.at(-1);
  if (last?.role !== 'assistant' || last.outcome !== 'answer') return undefined;
  const among = offeredSteps(last.text);
  const [first] = among;
  if (first === undefined) return undefined;
  const verb = words
    .replaceAll(politeness, '')
    .replaceAll(/[\s.,!]+/g, '')
    .toLowerCase();
  const named = among.find((say) => say.split(' ', 1)[0] === (sameVerbs.get(verb) ?? verb));
  const chosen = named ?? among[(readChoice(words) ?? 0) - 1];
  if (chosen !== undefined) return { kind: 'taken', say: chosen };
  if (readShortReply(words) !== 'yes') return undefined;
  return among.length === 1 ? { kind: 'taken', say: first } : { kind: 'unclear', among };
}
