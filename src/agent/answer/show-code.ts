import { rememberResults, type FoundResult, type StepResult } from './results-of-run.ts';
import type { Plan } from '../../contract/plan/index.ts';
import { pluralize } from '../../kernel/index.ts';

const maxCodeLines = 300;
const maxDiffLines = 200;
/** A comparison that takes longer than this is of texts that have little in common. */
const maxEdits = 2_000;

interface ShownRun {
  readonly results: readonly StepResult[];
  readonly plan?: Plan | undefined;
  readonly readFile?: ReadFile | undefined;
}

interface ShownCode {
  readonly text: string;
  /** A changed form of a file of the project is among it, which could be written back. */
  readonly changesFile: boolean;
}

/**
 * The code and tests a run made, as they are: a diff where it is a changed form of something known, and above
 * code of a model or a template what was found out about it. Code that was written to files is in the diff of that.
 */
export async function showCode(run: ShownRun): Promise<ShownCode> {
  const parts: string[] = [];
  const isWritten = run.results.some(isChange);
  let changesFile = !isWritten && run.results.some(hasChanges);
  for (const made of codeOf(run.results)) {
    const { result, content, label } = made;
    if (isWritten) {
      if (label.length > 0) parts.push(label.join('\n'));
      continue;
    }
    const source = await findSource({ ...run, result, content });
    if (source?.content === content) {
      parts.push(`${source.title}: nothing to change.`);
      continue;
    }
    const diff = source && (await diffOf(source, content));
    if (diff !== undefined && source?.isFile) changesFile = true;
    parts.push(
      diff === undefined
        ? wholeCode(made)
        : [...made.label, `${made.title}, changes to ${source?.title}:`, diffBlock(diff)].join(
            '\n',
          ),
    );
  }
  return { text: parts.join('\n\n'), changesFile };
}

/** Files were changed: the diff of that shows the code. */
function isChange({ output }: StepResult): boolean {
  const { change_id: id, diff }: Readonly<Record<string, unknown>> = Object(output);
  return typeof id === 'string' && typeof diff === 'string';
}

/** Files of a folder, as they would become. */
function hasChanges({ output }: StepResult): boolean {
  const { changes }: Readonly<Record<string, unknown>> = Object(output);
  return Array.isArray(changes) && changes.length > 0;
}

/** The same without diffs. */
export function showWholeCode(results: readonly StepResult[]): string {
  return codeOf(results).map(wholeCode).join('\n\n');
}

interface MadeCode extends FoundResult {
  readonly result: StepResult;
  /** Empty for code that is only formatted or refactored. */
  readonly label: readonly string[];
}

/** Code that was made twice is shown once; the reason of a label stands above the first code of a step. */
function codeOf(results: readonly StepResult[]): readonly MadeCode[] {
  const made = results.flatMap((result) =>
    rememberResults([result], '')
      .filter(({ kind }) => kind === 'code' || kind === 'tests')
      .map((found, index) => ({ ...found, result, label: labelOf(result, index === 0) })),
  );
  return made.filter(
    (one, index) => made.findLastIndex(({ content }) => content === one.content) === index,
  );
}

function wholeCode({ label, title, content, language = '' }: MadeCode): string {
  return [...label, `${title}:`, fenced(content, language, maxCodeLines)].join('\n');
}

function diffBlock(diff: string): string {
  return fenced(diff, 'diff', maxDiffLines);
}

async function diffOf(
  { title, content: before }: { readonly title: string; readonly content: string },
  after: string,
): Promise<string | undefined> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff');
  const limits = { context: 3, maxEditLength: maxEdits, headerOptions: FILE_HEADERS_ONLY };
  return createTwoFilesPatch(title, title, before, after, undefined, undefined, limits);
}

function labelOf({ output }: StepResult, withReason: boolean): readonly string[] {
  const { level, missing, verified }: Readonly<Record<string, unknown>> = Object(output);
  if (typeof verified !== 'boolean') return [];
  if (verified && level === 'verified')
    return ['Verified by tests or examples of yours that were run'];
  const head = level === 'self_tested' ? 'SELF-TESTED, NOT VERIFIED' : 'NOT VERIFIED';
  const reason = typeof missing === 'string' ? missing : 'nothing confirms this code';
  return [withReason ? `${head}; missing: ${reason}` : head];
}

function fenced(content: string, language: string, maxLines: number): string {
  const lines = content.trimEnd().split('\n');
  const left = lines.length - maxLines;
  const more = left > 0 ? [`… ${pluralize(left, 'more line')}`] : [];
  const fence = content.includes('```') ? '`````' : '```';
  const shown = [...lines.slice(0, maxLines), ...more].join('\n');
  return `${fence}${language}\n${shown}\n${fence}`;
}

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
async function findSource(made: Made): Promise<Source | undefined> {
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
