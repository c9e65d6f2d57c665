import { z } from 'zod';
import type { CallContext } from '../../../contract/server/index.ts';
import { pluralize } from '../../../kernel/index.ts';
import type { CodeContext } from '../code-context.ts';
import {
  leftOutReasons,
  type LeftOutPath,
  type SourceFile,
  type SourceRequest,
} from '../source-files.ts';
import { slowItemsMetaKey } from '../../worker/worker-host.ts';

export interface SelectedSources {
  readonly own: readonly SourceFile[];
  /** Tests and fixtures, to be reported apart. */
  readonly tests: readonly SourceFile[];
  readonly leftOut: readonly LeftOutPath[];
}

/**
 * What a request asks to look at, sorted by what it is to the project. A single file or text is always
 * looked at. Of a folder or glob, what Git ignores, what the setting `tools.exclude` names and what is
 * generated or vendored is left out, unless nothing else is there: then it was asked for by name.
 */
export async function selectSources(
  request: SourceRequest,
  context: Pick<CodeContext, 'sources'>,
  { signal, meta }: Pick<CallContext, 'signal' | 'meta'>,
): Promise<SelectedSources> {
  const leftOut: LeftOutPath[] = [];
  const slow = z.array(z.string()).catch([]).parse(meta[slowItemsMetaKey]);
  const resolved = await context.sources.resolve(request, signal, {
    onLeftOut: (path) => leftOut.push(path),
    onUnreadable: ({ path }) => leftOut.push({ path, reason: 'unreadable' }),
  });
  const found = resolved.filter(({ path }) => !slow.includes(path));
  leftOut.push(...slow.map((path) => ({ path, reason: 'too_slow' as const })));
  const [only, ...others] = found;
  if (!only || others.length === 0) return { own: found, tests: [], leftOut };
  const judged = found.map((file) => ({ file, role: judge(file) }));
  const having = (role: string): SourceFile[] =>
    judged.filter((one) => one.role === role).map(({ file }) => file);
  const [own, tests] = [having('own'), having('test')];
  if (own.length + tests.length === 0) return { own: found, tests: [], leftOut };
  for (const { file, role } of judged) {
    if (role === 'generated' || role === 'vendored')
      leftOut.push({ path: file.path, reason: role });
  }
  return own.length > 0 ? { own, tests, leftOut } : { own: tests, tests: [], leftOut };
}

/**
 * Works through files one by one, reports progress and ends when the call is cancelled. An error of one file of several
 * that `onError` accepts does not end the call.
 */
export async function forEachFile(
  files: readonly SourceFile[],
  call: Pick<CallContext, 'signal' | 'progress'>,
  {
    work,
    onError = () => false,
  }: {
    readonly work: (file: SourceFile) => Promise<unknown>;
    /** Returns whether the error has been dealt with. */
    readonly onError?: (file: SourceFile, error: unknown) => boolean;
  },
): Promise<void> {
  for (const [index, file] of files.entries()) {
    call.signal.throwIfAborted();
    call.progress({ progress: index, total: files.length, message: file.path });
    try {
      await work(file);
    } catch (error) {
      if (files.length === 1 || !onError(file, error)) throw error;
    }
  }
  call.progress({ progress: files.length, total: files.length });
}

function judge(file: SourceFile): string {
  const role = roleOfPath(file.path);
  return role !== 'vendored' && looksGenerated(file.text) ? 'generated' : role;
}

export const leftOutSchema = z.array(
  z.object({
    reason: z.enum(leftOutReasons),
    count: z.int().min(1).describe('Files, or folders as a whole.'),
    examples: z.array(z.string()),
  }),
);

/** For tools that list nothing where nothing was left out. */
export const leftOutField = {
  left_out: leftOutSchema.optional().describe('What of a folder was not looked at, and why.'),
};

const maxExamples = 5;

export function reportLeftOut(leftOut: readonly LeftOutPath[]): z.input<typeof leftOutSchema> {
  return leftOutReasons.flatMap((reason) => {
    const paths = leftOut.filter((one) => one.reason === reason).map(({ path }) => path);
    return paths.length === 0
      ? []
      : [{ reason, count: paths.length, examples: paths.slice(0, maxExamples) }];
  });
}

const reasonWords: Readonly<Record<LeftOutPath['reason'], string>> = {
  ignored: 'ignored by Git',
  generated: 'generated',
  vendored: 'vendored',
  excluded: 'excluded by the call or by the setting tools.exclude',
  hidden: 'in hidden folders',
  unsupported: 'in other languages',
  unreadable: 'not readable as text',
  too_slow: 'that took too long',
};

/** One line for people; none when nothing was left out. */
export function describeLeftOut(leftOut: z.output<typeof leftOutSchema>): string[] {
  if (leftOut.length === 0) return [];
  const parts = leftOut.map(({ reason, count, examples }) => {
    const more = count > examples.length ? ', …' : '';
    return `${pluralize(count, 'path')} ${reasonWords[reason]} (${examples.join(', ')}${more})`;
  });
  return [`Left out: ${parts.join('; ')}`];
}

/** What a file is to the project it lies in. */
type FileRole = 'own' | 'test' | 'generated' | 'vendored';

/** Judges a file by its path relative to the folder that was asked about. */
export function roleOfPath(path: string): FileRole {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  const folders = parts.map((part) => part.toLowerCase());
  if (folders.some((folder) => vendoredFolders.has(folder))) return 'vendored';
  if (folders.some((folder) => generatedFolders.has(folder)) || generatedName.test(name)) {
    return 'generated';
  }
  const isTest =
    folders.some((folder) => testFolders.has(folder)) ||
    testNames.some((pattern) => pattern.test(name));
  return isTest ? 'test' : 'own';
}

const vendoredFolders: ReadonlySet<string> = new Set(
  'vendor vendored third_party third-party thirdparty bower_components site-packages'.split(' '),
);

const generatedFolders: ReadonlySet<string> = new Set(
  'dist coverage htmlcov generated __generated__'.split(' '),
);

const generatedName =
  /[.-]min\.(?:m?js|css)$|\.(?:bundle|generated|gen)\.[a-z]+$|_pb2(?:_grpc)?\.pyi?$|\.pb\.go$|\.g\.[a-z]+$/i;

const testFolders: ReadonlySet<string> = new Set(
  'test tests __tests__ spec specs e2e testing testdata test-data test_data fixtures __fixtures__ mocks __mocks__ __snapshots__ cypress'.split(
    ' ',
  ),
);

const testNames: readonly RegExp[] = [
  /\.(?:test|tests|spec|e2e|cy)\.[cm]?[jt]sx?$/i,
  /^(?:test_.*|.*_test|conftest|tests)\.pyi?$/,
  /_test\.go$/,
  /^tests?\.rs$|_tests?\.rs$/,
  /(?:Tests?|TestCase|IT)\.java$/,
];

const headLength = 3_000;

/** Marks that generators leave near the top of what they write. */
const generatedMark =
  /@generated\b|<auto-generated|\bcode generated by\b|\bthis file (?:is|was) (?:auto(?:matically)?[- ]?)?generated\b|\bauto-?generated (?:file|code|by)\b|\bgenerated (?:file|code)[^\n]{0,40}do not (?:edit|modify)|\bdo not (?:edit|modify)[^\n]{0,40}\bgenerated\b/i;

const minifiedLine = 5_000;
const commentStart = /^\s*(?:#|\/\/|\/\*|\*|--|<!--|"""|''')/;

/** Whether a text says of itself, in a comment at its top, that a program wrote it, or is minified. */
export function looksGenerated(text: string): boolean {
  const head = text.slice(0, headLength).split('\n');
  if (head.some((line) => commentStart.test(line) && generatedMark.test(line))) return true;
  const lines = text.split('\n');
  return lines.some((line) => line.length > minifiedLine) && text.length / lines.length > 500;
}
