import { isOwn, withoutPastes } from '../intent/index.ts';
import type { GuardRules } from '../propose/index.ts';
import type { Turn } from './turn.ts';

/** What plans of this turn are held to, but for what they may call. */
export function guardRules({ parts, before, words }: Turn): Omit<GuardRules, 'capability'> {
  const { maxSteps, approval } = parts.settings;
  const said = before.turns.filter(isOwn).map(({ text }) => withoutPastes(text));
  return { ownWords: [...said, words].join('\n'), approval, maxSteps, isTrusted: parts.isTrusted };
}
