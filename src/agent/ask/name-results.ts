import { posix } from 'node:path';
import type { ResultItem } from '../answer/index.ts';
import { shownItems } from './answer-follow-up.ts';
import type { Turn } from './turn.ts';

const lead = String.raw`^(?:(?:please|can you|could you|and|now|then|ok|okay|so)[, ]+)*`;
const tail = String.raw`(?: (?:please|again|alone|only|now))*[\s.!?]*$`;
const which = String.raw`(?:that|this|the|those|these)(?: (?:failing|failed|broken|bad|same))?`;
const show = new RegExp(
  String.raw`${lead}(?:show|open|print|display|read|cat|see|let me see)(?: me)?(?: just| only)? ${which} (?:test|file|code|source|function|line|place|spot)(?: file| code| source| itself)?${tail}`,
  'iu',
);
const rerun = new RegExp(
  String.raw`${lead}(?:run|rerun|re-run|execute|repeat|try|test)(?: me)?(?: just| only)? ${which}(?: (?:test|tests|one|ones))${tail}|${lead}(?:run|rerun|re-run|execute|repeat)(?: just| only) (?:that|it|those|them)${tail}`,
  'iu',
);
const itsTests = new RegExp(
  String.raw`${lead}(?:run|execute|rerun|start)(?: all| also)?(?: of)? (?:its|their|the file.s|that file.s) (?:unit )?tests?${tail}`,
  'iu',
);
const ones = new RegExp(
  String.raw`${lead}(?:(?:what|how) about |only |just |with |do )?(?:the |those )?(?:in |of |for |from )?(?:the )?(?<name>[\p{L}\p{N}_-]+) (?:ones?|tests?)${tail}`,
  'iu',
);

/** Files that are looked through for a name. */
const maxFiles = 5_000;
/** Lines shown around an entry that says its own. */
const around = 10;

/** Puts names in place of "that test" and "its tests", from the results that were shown last; undefined for any other message. */
export async function nameResults(turn: Turn, words: string): Promise<string | undefined> {
  if (turn.attachments.length > 0) return undefined;
  if (itsTests.test(words)) return nameTests(turn);
  const isShow = show.test(words);
  if (!isShow && !rerun.test(words)) return undefined;
  const { items, name } = await shownItems(turn);
  const failed = items.filter(({ severity }) => /^(?:failed|error)$/iu.test(severity ?? ''));
  const meant = failed.length > 0 ? failed : items;
  if (isShow) return showFirst(meant);
  return name === 'tests' ? runAgain(meant) : undefined;
}

function showFirst([item]: readonly ResultItem[]): string | undefined {
  const { path, line } = item ?? {};
  if (path === undefined) return undefined;
  if (line === undefined) return `show me the contents of ${path}`;
  return `show lines ${Math.max(1, line - around)}-${line + around} of ${path}`;
}

/** One test by its name, several by their files. */
function runAgain(items: readonly ResultItem[]): string | undefined {
  const paths = [...new Set(items.flatMap(({ path }) => path ?? []))];
  const [only, ...others] = items;
  if (paths.length === 0 || !only) return undefined;
  const name = others.length === 0 ? (only.rule ?? only.message) : undefined;
  const filter = name === undefined || /["\n]/u.test(name) ? '' : ` -k "${name}"`;
  return `run the tests in ${paths.join(' and ')}${filter}`;
}

/** The path that the last plan worked on. */
function lastPath({ before }: Turn): string | undefined {
  const steps = before.turns.findLast(({ role, plan }) => role === 'assistant' && plan)?.plan;
  const paths = steps?.steps.map(({ args }) => args?.['path']) ?? [];
  return paths.find((path): path is string => typeof path === 'string' && !path.includes('${'));
}

const stemOf = (path: string): string => posix.parse(path).name.toLowerCase();
const testStems = (stem: string): readonly string[] => [
  `test_${stem}`,
  `${stem}_test`,
  `${stem}.test`,
  `${stem}.spec`,
  `${stem}test`,
];

async function nameTests(turn: Turn): Promise<string> {
  const path = lastPath(turn);
  const stems = path === undefined ? [] : testStems(stemOf(path));
  const files = await turn.parts.files.list(maxFiles);
  const found = files.filter((file) => stems.includes(stemOf(file)));
  return found.length === 0 ? 'run the tests' : `run the tests in ${found.join(' and ')}`;
}

/** "the web ones" after a request for others: the same once more, for the files or the folder of that name. */
export async function nameOthers(turn: Turn, words: string): Promise<string | undefined> {
  const name = ones.exec(words)?.groups?.['name']?.toLowerCase();
  const before = lastPath(turn);
  if (name === undefined || before === undefined) return undefined;
  const files = await turn.parts.files.list(maxFiles);
  const tests = files.filter((file) => testStems(name).includes(stemOf(file)));
  const folders = files.flatMap((file) => {
    const at = `/${file.toLowerCase()}`.indexOf(`/${name}/`);
    return at < 0 ? [] : [file.slice(0, at + name.length)];
  });
  const isTests = /test|spec/iu.test(before) || before === '.';
  // Where tests were run, those of that name are meant before other files.
  const inTests = folders.filter((folder) => /(?:^|\/)(?:tests?|specs?)\//iu.test(folder));
  const others = files.filter((file) => stemOf(file) === name);
  const [path] = [...(isTests ? [...tests, ...inTests] : []), ...folders, ...others, ...tests];
  return path === undefined ? undefined : `and ${path}`;
}
