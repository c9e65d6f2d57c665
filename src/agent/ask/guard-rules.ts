import { isOwn, withoutPastes } from '../intent/index.ts';
import type { GuardRules } from '../propose/index.ts';
import type { Turn } from './turn.ts';

/** What plans of this turn are held to, but for what they may call. */
export function guardRules({
  parts,
  before,
  words,
  attachments,
}: Turn): Omit<GuardRules, 'capability'> {
  const { maxSteps, approval } = parts.settings;
  const said = before.turns.filter(isOwn).map(({ text }) => withoutPastes(text));
  const ownWords = [...said, words, ...attachments.map(({ name }) => name)].join('\n');
  return { ownWords, approval, maxSteps, isTrusted: parts.isTrusted };
}
