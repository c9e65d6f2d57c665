import { formsOf, lexicon, plainForm } from './lexicon.ts';

export type AboutTopic = (typeof topics)[number];

/**
 * Whether a message asks for a program or a deed that harms others. Looking for malware and defending against an attack
 * are fine: "scan for keyloggers", "a phishing detector", "protect the login against brute force".
 */
export function isHarmful(message: string): boolean {
  const { programs, acts, victims, defence, inspection } = lexicon.harm;
  return plainForm(message)
    .split(/[.?!;](?=\s|$)|\n/u)
    .some((sentence) => {
      const text = ` ${sentence.replaceAll(/[^\p{L}\p{N}'-]+/gu, ' ').trim()} `;
      const program = find(text, programs);
      const act = find(text, acts);
      const guard = find(text, defence);
      const look = find(text, inspection);
      if (program) {
        const isGuarded = guard && (guard.at < program.at || guard.at === program.end);
        return !isGuarded && !(look && (look.at < program.at || look.at === program.end));
      }
      return (
        act !== undefined && find(text, victims) !== undefined && !(guard && guard.at < act.at)
      );
    });
}

/** The first of the phrases that is in the text, by where it begins and where the next word does. */
function find(
  text: string,
  phrases: readonly string[],
): { readonly at: number; readonly end: number } | undefined {
  return phrases
    .flatMap((phrase) => [` ${phrase} `, ` ${phrase}s `])
    .map((phrase) => ({ at: text.indexOf(phrase), end: text.indexOf(phrase) + phrase.length - 1 }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at)[0];
}

const minLikeness = 0.85;
const small = new Set(
  'a an the me us please is are of to for there here all my your our you i'.split(' '),
);

/** A wish about Tutti itself, which is answered without a plan. */
export function readAbout(message: string): AboutTopic | undefined {
  const said = stems(message);
  if (said.size === 0 || said.size > 10) return undefined;
  let best: { topic: AboutTopic; score: number } | undefined;
  for (const topic of topics) {
    for (const phrase of lexicon.about[topic] ?? []) {
      const score = overlap(said, stems(phrase));
      if (score >= minLikeness && score > (best?.score ?? 0)) best = { topic, score };
    }
  }
  return best?.topic;
}

const topics = [
  'capabilities',
  'runs',
  'failure',
  'servers',
  'model',
  'addServer',
  'greeting',
  'key',
  'data',
  'version',
  'client',
] as const;

function stems(text: string): ReadonlySet<string> {
  const words = plainForm(text).match(/[\p{L}\p{N}']+/gu) ?? [];
  const kept = words.filter((word) => !small.has(word));
  return new Set((kept.length > 0 ? kept : words).map((word) => formsOf(word).at(-1) ?? word));
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return (2 * shared) / (a.size + b.size);
}
