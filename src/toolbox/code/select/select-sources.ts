import { z } from 'zod';
import type { CallContext } from '../../../contract/server/index.ts';
import { counted } from '../../../kernel/index.ts';
import type { CodeContext } from '../code-context.ts';
import type { SourceFile, SourceRequest } from '../source-files.ts';
import { looksGenerated, roleOfPath } from './file-role.ts';
import { slowItemsMetaKey } from '../../worker/worker-host.ts';

const reasons = [
  'ignored',
  'generated',
  'vendored',
  'excluded',
  'hidden',
  'unreadable',
  'too_slow',
] as const;

type LeftOutReason = (typeof reasons)[number];

/** A file or a whole folder below the one asked about that is not looked at. */
export interface LeftOutPath {
  readonly path: string;
  readonly reason: LeftOutReason;
}

export interface SelectedSources {
  readonly own: readonly SourceFile[];
  /** Tests and fixtures, to be reported apart. */
  readonly tests: readonly SourceFile[];
  readonly leftOut: readonly LeftOutPath[];
}

/**
 * What a request asks to look at, sorted by what it is to the project. A single file or text is always
 * looked at. Of a folder or glob, what Git ignores, what the setting `tools.exclude` names and what a
 * program or somebody else wrote is left out, unless nothing else is there: then it was asked for by name.
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

function judge(file: SourceFile): string {
  const role = roleOfPath(file.path);
  return role !== 'vendored' && looksGenerated(file.text) ? 'generated' : role;
}

export const leftOutSchema = z.array(
  z.object({
    reason: z.enum(reasons),
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
  return reasons.flatMap((reason) => {
    const paths = leftOut.filter((one) => one.reason === reason).map(({ path }) => path);
    return paths.length === 0
      ? []
      : [{ reason, count: paths.length, examples: paths.slice(0, maxExamples) }];
  });
}

const reasonWords: Readonly<Record<LeftOutReason, string>> = {
  ignored: 'ignored by Git',
  generated: 'generated',
  vendored: 'vendored',
  excluded: 'excluded by the setting tools.exclude',
  hidden: 'in hidden folders',
  unreadable: 'not readable as text',
  too_slow: 'that took too long',
};

/** One line for people; none when nothing was left out. */
export function describeLeftOut(leftOut: z.output<typeof leftOutSchema>): string[] {
  if (leftOut.length === 0) return [];
  const parts = leftOut.map(({ reason, count, examples }) => {
    const more = count > examples.length ? ', …' : '';
    return `${counted(count, 'path')} ${reasonWords[reason]} (${examples.join(', ')}${more})`;
  });
  return [`Left out: ${parts.join('; ')}`];
}
