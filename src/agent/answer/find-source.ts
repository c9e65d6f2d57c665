import type { Plan } from '../../contract/plan/index.ts';
import type { StepResult } from './results-of-run.ts';

/** The text of a file inside the roots; undefined where there is none that can be read. */
export type ReadFile = (path: string) => Promise<string | undefined>;

/** What code was made of. */
interface Source {
  readonly title: string;
  readonly content: string;
  /** It is a file of the project, at `title`. */
  readonly isFile: boolean;
}

interface Made {
  readonly result: StepResult;
  readonly content: string;
  readonly results: readonly StepResult[];
  readonly plan?: Plan | undefined;
  readonly readFile?: ReadFile | undefined;
}

/** What a step that gave code was given: a file by its path, an attachment, what an earlier step gave. */
export async function findSource(made: Made): Promise<Source | undefined> {
  const { result, plan, content } = made;
  const args = plan?.steps.find(({ id }) => id === result.step)?.args ?? {};
  for (const [name, value] of Object.entries(args)) {
    if (typeof value !== 'string') continue;
    const source = await sourceOf(name, value, made);
    if (source && isEarlierForm(source.content, content)) return source;
  }
  return undefined;
}

async function sourceOf(
  name: string,
  value: string,
  { plan, results, readFile }: Made,
): Promise<Source | undefined> {
  const reference = /^\$\{(\w+)\.(\w+)\}$/.exec(value);
  if (!reference) {
    const content = /^(?:path|file)$/.test(name) ? await readFile?.(value) : value;
    return content === undefined
      ? undefined
      : { title: content === value ? name : value, content, isFile: content !== value };
  }
  const [, root = '', field = ''] = reference;
  if (root === 'input') {
    const content = plan?.input?.[field]?.default;
    return typeof content === 'string'
      ? { title: 'what you gave', content, isFile: false }
      : undefined;
  }
  const given = results.find(({ step }) => step === root)?.output;
  const { [field]: content, path }: Readonly<Record<string, unknown>> = Object(given);
  if (typeof content !== 'string') return undefined;
  const isFile = typeof path === 'string';
  return { title: isFile ? path : `the result of ${root}`, content, isFile };
}

const minSimilarity = 0.5;

/** Whether the one was made of the other: most of the words of the longer text are in both. */
function isEarlierForm(before: string, after: string): boolean {
  const words = (text: string): string[] => text.match(/\w+/g) ?? [];
  const [first, second] = [words(before), words(after)];
  const counts = new Map<string, number>();
  for (const word of first) counts.set(word, (counts.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of second) {
    const left = counts.get(word) ?? 0;
    if (left > 0) common += 1;
    counts.set(word, left - 1);
  }
  return common / Math.max(first.length, second.length, 1) >= minSimilarity;
}
