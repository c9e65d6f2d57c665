import { join, parse } from 'node:path/posix';
import { z } from 'zod';
import type { DecomposedTask } from '../../contract/agents/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import { type Language, languageOfFile, languages } from '../../contract/language/index.ts';
import type { RunView } from '../../contract/run/index.ts';
import { InvalidTaskError } from '../errors.ts';
import data from './templates.json' with { type: 'json' };

const step = z.strictObject({
  id: z.string(),
  agent: z.strictObject({ capability: z.string() }).optional(),
  tool: z.string().optional(),
  task: z.string().optional(),
  inputs: z.record(z.string(), z.string()).optional(),
  args: z.record(z.string(), z.string()).optional(),
  onFailure: z.enum(['skip']).optional(),
  /** Steps of agents that are over before this one begins, however they ended. */
  after: z.array(z.string()).optional(),
  /** Left out, with a word about it, where no model is configured. */
  needsModel: z.literal(true).optional(),
});

/** Kinds of tasks as data: the words that people ask for one with, and its steps. `${task}`, `${path}`, `${language}` are filled in here. */
const templates = z
  .array(
    z.strictObject({
      name: z.string(),
      words: z.array(z.string()),
      needs: z.array(z.string()),
      steps: z.array(step),
    }),
  )
  .parse(data);
type Template = (typeof templates)[number];
type TemplateStep = Template['steps'][number];

export interface DecomposeRequest {
  readonly task: string;
  readonly hasModel: boolean;
  /** How long tasks of a capability took; nothing where there were none. */
  readonly meanMs: ReadonlyMap<string, number>;
  /** Whether a word that may be a folder or file is one. */
  readonly pathExists: (path: string) => boolean;
  /** Files of the project, or as many as are listed. */
  readonly paths: readonly string[];
  /** A run of an earlier plan for this task: what succeeded there is left out. */
  readonly after?: RunView;
}

const usualLanguage = 'python';
const usualStepSeconds = 20;
const maxTaskChars = 2_000;

/** A task in a sentence as a plan of agents and tools, by templates; the same sentence gives the same plan. */
export function decompose({
  task,
  hasModel,
  meanMs,
  pathExists,
  paths,
  after,
}: DecomposeRequest): DecomposedTask {
  const words = wordsOf(task);
  const template = chooseTemplate(words);
  if (!template || task.trim() === '' || task.length > maxTaskChars)
    throw new InvalidTaskError(unclear);
  const path = pathIn(task, pathExists);
  const language =
    languageIn(words) ?? languageOfFile(path ?? '') ?? mainLanguage(paths) ?? usualLanguage;
  const newFile = fileFor(task, { path, language, pathExists });
  const writes = hasModel && template.steps.some(({ inputs }) => inputs?.['path'] === '${file}');
  const questions = writes ? newFileQuestions({ path, newFile, pathExists }) : [];
  const filled = {
    task: task.trim(),
    path: path ?? '.',
    language,
    file: newFile,
    tests: testsFor(newFile),
    look: hasModel ? newFile : path !== undefined && pathExists(path) ? path : '.',
  };
  const isOpen = ({ id }: TemplateStep): boolean => after?.steps[id]?.status !== 'succeeded';
  const possible = template.steps.filter(({ needsModel }) => hasModel || needsModel !== true);
  const left = after ? withNeeded(possible, possible.filter(isOpen)) : possible;
  if (left.length === 0) throw new InvalidTaskError('every step of it has succeeded already');
  questions.push(...template.steps.filter((one) => !possible.includes(one)).map(askForModel));
  for (const { id } of after ? possible.filter(isOpen) : []) {
    const error = after?.steps[id]?.error?.message;
    if (error !== undefined)
      questions.push(
        `Step "${id}" failed (${error.slice(0, 200)}): try it with a smaller part, such as one file?`,
      );
  }
  if (
    !writes &&
    path === undefined &&
    template.steps.some(({ inputs }) => inputs?.['path'] !== undefined)
  ) {
    questions.push('Which folder or file? The whole project is taken where none is named.');
  }
  const seconds = left.map(
    ({ agent }) => (meanMs.get(agent?.capability ?? '') ?? usualStepSeconds * 1_000) / 1_000,
  );
  return {
    template: template.name,
    why: `read as "${template.name}" by: ${template.words.filter((word) => words.includes(word)).join(', ')}`,
    plan: { version: 1, goal: filled.task, steps: left.map((one) => fill(one, filled, left)) },
    estimate: {
      steps: left.length,
      seconds: Math.round(seconds.reduce((sum, one) => sum + one, 0)),
      from: left.some(({ agent }) => meanMs.has(agent?.capability ?? '')) ? 'history' : 'defaults',
    },
    questions,
  };
}

function askForModel({ id, agent }: TemplateStep): string {
  if (agent?.capability === 'code.add')
    return `Writing new code needs a model, so step "${id}" was left out and the others look at the code there is: configure one ("tutti models"), or write it yourself?`;
  return `Step "${id}" (${agent?.capability ?? ''}) needs a model and was left out: configure one ("tutti models"), or do it yourself?`;
}

interface Placing {
  readonly path: string | undefined;
  readonly language: string;
  readonly pathExists: (path: string) => boolean;
}

/** Where new code goes: the file that is named where it is new, else one named after the task, beside or in what is named. */
function fileFor(task: string, { path, language, pathExists }: Placing): string {
  const named = parse(path ?? '');
  if (path !== undefined && named.ext !== '' && !pathExists(path)) return path;
  const words = wordsOf(task.replace(path ?? '', '')).filter(
    (word) => word.length > 1 && !taskWords.has(word) && !dullWords.has(word) && word !== language,
  );
  const name = words.slice(0, maxNameWords).join('_') || 'feature';
  const folder = named.ext === '' ? (path ?? '') : named.dir;
  return join(folder, `${name}${endings.get(language) ?? '.txt'}`);
}

const maxNameWords = 3;
const dullWords = new Set(
  'a an and are as at be by each for from give gives in into is it its of on or please return returns that the their this to which with'.split(
    ' ',
  ),
);

const endings = new Map([
  ['python', '.py'],
  ['javascript', '.mjs'],
  ['typescript', '.ts'],
  ['java', '.java'],
  ['go', '.go'],
  ['rust', '.rs'],
  ['sql', '.sql'],
  ['html', '.html'],
  ['css', '.css'],
]);

/** The file that test runners of its language look for beside a new one; none where tests are part of the code or unknown. */
function testsFor(file: string): string {
  const { dir, name, ext } = parse(file);
  switch (ext) {
    case '.py':
      return join(dir, `test_${name}.py`);
    case '.go':
      return join(dir, `${name}_test.go`);
    case '.js':
    case '.mjs':
    case '.cjs':
    case '.ts':
      return join(dir, `${name}.test${ext}`);
    default:
      return '';
  }
}

function newFileQuestions({
  path,
  newFile,
  pathExists,
}: Pick<Placing, 'path' | 'pathExists'> & { readonly newFile: string }): string[] {
  if (newFile === path) return [];
  const why =
    path !== undefined && pathExists(path) ? `"${path}" is there already` : 'no file is named';
  return [`${why}: the new code goes to ${newFile}. Another file?`];
}

const unclear = `it is not clear what kind of task it is. There are ${templates.map(({ name }) => `"${name}"`).join(', ')}`;

/** What is left, with the steps whose results it refers to. */
function withNeeded(
  all: readonly TemplateStep[],
  open: readonly TemplateStep[],
): readonly TemplateStep[] {
  const text = JSON.stringify(open);
  return all.filter((one) => open.includes(one) || text.includes(`\${${one.id}.`));
}

function wordsOf(task: string): readonly string[] {
  return task.toLowerCase().match(/[a-z]+/g) ?? [];
}

/** The one with the most of its words, where one of those it needs is there; the first of equals. */
function chooseTemplate(words: readonly string[]): Template | undefined {
  const score = ({ words: own, needs }: Template): number =>
    needs.some((word) => words.includes(word))
      ? own.filter((word) => words.includes(word)).length
      : 0;
  const best = templates.toSorted((a, b) => score(b) - score(a))[0];
  return best && score(best) > 0 ? best : undefined;
}

/** A word that looks like a path, with a slash or the ending of a file; else a word after "in" that is one on disk. */
function pathIn(task: string, pathExists: (path: string) => boolean): string | undefined {
  const found = task.match(
    /(?:^|[\s"'`(])(@?(?:[\w.-]+\/)+[\w.-]*|[\w-]+\.[a-z]{1,5})(?=$|[\s"'`),.:;!?])/,
  )?.[1];
  if (found !== undefined) return found.replace(/^@/, '').replace(/\.$/, '');
  const named = [...task.matchAll(/\b(?:in|of|under|inside|for) (?:the )?([\w.-]+)/gi)];
  // "fix the test" asks for a kind of task, also where there is a folder of that name.
  const others = task.match(/[\w-]+/g)?.filter((word) => !taskWords.has(word.toLowerCase())) ?? [];
  return [...named.map(([, word = '']) => word.replace(/\.$/, '')), ...others].find(pathExists);
}

const taskWords = new Set(templates.flatMap(({ words }) => words));

function languageIn(words: readonly string[]): string | undefined {
  return languages.find((name) => words.includes(name));
}

const markup: readonly Language[] = ['html', 'css', 'sql'];

/** The language of most files; what programs of other languages have beside them counts where there are none of those. */
function mainLanguage(paths: readonly string[]): Language | undefined {
  const counts = Map.groupBy(
    paths.flatMap((path) => languageOfFile(path) ?? []),
    (language) => language,
  );
  const rank = (language: Language): number =>
    (counts.get(language)?.length ?? 0) * (markup.includes(language) ? 1 : paths.length + 1);
  const [first] = [...counts.keys()].toSorted((a, b) => rank(b) - rank(a));
  return first;
}

function fill(
  { id, agent, tool, task, inputs, args, onFailure, after = [] }: TemplateStep,
  values: Readonly<Record<string, string>>,
  steps: readonly TemplateStep[],
): Json {
  // A condition is waited for, and holds for a step that was skipped, too.
  const when = after
    .filter((name) => steps.some((one) => one.id === name))
    .map((name) => `\${${name}.verdict} != "failed"`)
    .join(' && ');
  const text = (template: string): string =>
    template.replaceAll(/\$\{(task|path|language|file|tests|look)\}/g, (_whole, name: string) =>
      (values[name] ?? '').replaceAll('${', () => '$${'),
    );
  const all = (record: Readonly<Record<string, string>>): Json =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, text(value)]));
  return {
    id,
    ...(agent && { agent: { ...agent } }),
    ...(tool !== undefined && { tool }),
    ...(task !== undefined && { task: text(task) }),
    ...(inputs && { inputs: all(inputs) }),
    ...(args && { args: all(args) }),
    ...(when !== '' && { when }),
    ...(onFailure !== undefined && { onFailure }),
  };
}
