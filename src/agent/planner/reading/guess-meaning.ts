import type { CatalogueEntry } from '../../../contract/catalogue/index.ts';
import { examplesMetaKey } from '../../../contract/tool/index.ts';
import { likeness, nearestFamilies, type FamilyScore } from './nearest-phrases.ts';
import { plainForm } from '../words/text-forms.ts';
import type { Capability } from './wish.ts';

export type Embed = (
  texts: readonly string[],
  signal: AbortSignal,
) => Promise<readonly Float32Array[]>;

/** What a message that rules make nothing of seems to be. */
export type Guess =
  | { readonly kind: 'off' }
  | { readonly kind: 'vague' }
  | { readonly kind: 'capability'; readonly capability: Capability; readonly isSure: boolean }
  | { readonly kind: 'tool'; readonly entry: CatalogueEntry; readonly score: number };

/** Cosines, measured with MiniLM on phrases: below, two texts have little to do with each other. */
const leastLikeness = 0.3;
const sureLikeness = 0.55;
const sureMargin = 0.08;
const toolLikeness = 0.5;
/** Tools that are compared by meaning, after their words were; each costs a vector the first time. */
const maxToolsCompared = 8;

export async function guessMeaning(
  message: string,
  tools: readonly CatalogueEntry[],
  how: { readonly embed: Embed; readonly signal: AbortSignal },
): Promise<Guess> {
  const [vector] = await how.embed([message], how.signal);
  if (!vector) return { kind: 'vague' };
  const families = nearestFamilies(vector);
  const tool = await nearestTool({ message, vector, tools }, how);
  const best = families[0];
  if (tool && tool.score >= toolLikeness && tool.score > (best?.score ?? 0))
    return { kind: 'tool', ...tool };
  return fromFamilies(families);
}

/** Whether what is to be written has more to do with everyday life than with programs. */
export async function weighSubject(
  message: string,
  how: { readonly embed: Embed; readonly signal: AbortSignal },
): Promise<'everyday' | 'program' | 'unclear'> {
  const [vector] = await how.embed([message], how.signal);
  if (!vector) return 'unclear';
  const families = nearestFamilies(vector);
  const scoreOf = (name: string): number =>
    families.find(({ family }) => family === name)?.score ?? 0;
  const program = Math.max(scoreOf('code'), scoreOf('spec'), scoreOf('tests'), scoreOf('review'));
  if (scoreOf('off') > program + everydayMargin && scoreOf('off') > leastLikeness)
    return 'everyday';
  return program < leastProgram ? 'unclear' : 'program';
}

const everydayMargin = 0.03;
const leastProgram = 0.2;

function fromFamilies(families: readonly FamilyScore[]): Guess {
  const [best, next] = families;
  if (!best || best.score < leastLikeness) return { kind: 'off' };
  if (best.family === 'off') return { kind: 'off' };
  if (best.family === 'vague') return { kind: 'vague' };
  const isSure = best.score >= sureLikeness && best.score - (next?.score ?? 0) >= sureMargin;
  return { kind: 'capability', capability: best.family, isSure };
}

interface ToolQuery {
  readonly message: string;
  readonly vector: Float32Array;
  readonly tools: readonly CatalogueEntry[];
}

async function nearestTool(
  { message, vector, tools }: ToolQuery,
  how: { readonly embed: Embed; readonly signal: AbortSignal },
): Promise<{ entry: CatalogueEntry; score: number } | undefined> {
  const words = new Set(wordsOf(message));
  const ranked = tools
    .map((entry) => ({
      entry,
      texts: textsOf(entry),
      common: wordsOf(textsOf(entry).join(' ')).filter((word) => words.has(word)).length,
    }))
    .filter(({ common }) => common > 0)
    .toSorted((a, b) => b.common - a.common || (a.entry.name < b.entry.name ? -1 : 1))
    .slice(0, maxToolsCompared);
  let best: { entry: CatalogueEntry; score: number } | undefined;
  for (const { entry, texts } of ranked) {
    const vectors = await how.embed(texts, how.signal);
    const score = Math.max(...vectors.map((one) => likeness(one, vector)));
    if (!best || score > best.score) best = { entry, score };
  }
  return best;
}

const maxExamples = 4;

function textsOf({ tool }: CatalogueEntry): readonly string[] {
  const said = tool._meta?.[examplesMetaKey];
  const examples = Array.isArray(said) ? said.filter((one) => typeof one === 'string') : [];
  const sentence = (tool.description ?? '').split('. ')[0] ?? '';
  return [`${tool.name.replaceAll('_', ' ')}: ${sentence}`, ...examples.slice(0, maxExamples)];
}

function wordsOf(text: string): readonly string[] {
  return [...new Set(plainForm(text).split(/[^\p{L}\p{N}]+/u))].filter((word) => word.length > 3);
}
