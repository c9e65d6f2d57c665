import { defenceWords, harmWords } from './lexicon/harm.ts';
import { phrasesOf } from './lexicon.ts';
import { plainForm } from './text-forms.ts';

const harm = phrasesOf(harmWords);
const defence = phrasesOf(defenceWords);
const theft =
  /\b(?:steal|brute.?forc|crack|harvest|sniff|dump|grab|phish)\w*\b.{0,40}\b(?:passwords?|credentials?|logins?|accounts?|cookies|credit cards?|bank|wi-?fi)\b/u;

/** Whether a message asks for a program that harms others; defending against one is fine. */
export function isHarmful(message: string): boolean {
  const text = ` ${plainForm(message).replaceAll(/[^\p{L}\p{N}'-]+/gu, ' ')} `;
  const holds = (phrase: string): boolean =>
    text.includes(` ${phrase} `) || text.includes(` ${phrase}s `);
  return (
    (harm.some((phrase) => holds(phrase)) || theft.test(text)) &&
    !defence.some((phrase) => holds(phrase))
  );
}
