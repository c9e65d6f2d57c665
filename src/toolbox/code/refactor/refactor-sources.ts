import type { CallContext } from '../../../contract/server/index.ts';
import type { CodeContext } from '../code-context.ts';
import { CodeSyntaxError, TooComplexError } from '../errors.ts';
import { chooseStyleGuide } from '../language.ts';
import type { LintFinding } from '../lint/lint-data.ts';
import { forEachFile, reportLeftOut, selectSources } from '../select/select-sources.ts';
import type { SourceFile, SourceRequest } from '../source-files.ts';
import type { RefactorOutput } from './refactor-code-tool.ts';
import { refactorFile, type Refactoring } from './refactor-file.ts';

interface RefactorRequest extends SourceRequest {
  readonly style_guide?: string | undefined;
  readonly rules?: readonly string[] | undefined;
}

const maxFixesListed = 500;
const maxDiffCharacters = 2_000_000;
const maxDiffMs = 5_000;

interface RefactoredFile extends Refactoring {
  readonly file: SourceFile;
}

/**
 * Refactors what a request names. A single text that does not parse is an error; in a folder such a
 * file is left alone and noted.
 */
export async function refactorSources(
  request: RefactorRequest,
  call: CallContext,
  context: CodeContext,
): Promise<RefactorOutput> {
  const { own, tests, leftOut } = await selectSources(request, context, call);
  const files = [...own, ...tests];
  const results: RefactoredFile[] = [];
  const notes: string[] = [];
  await forEachFile(files, call, {
    work: async (file) => results.push({ file, ...(await refactorOne(file, request, context)) }),
    onError: (file, error) => {
      const isUnreadable = error instanceof CodeSyntaxError || error instanceof TooComplexError;
      if (isUnreadable) notes.push(`${file.path} does not parse and was left alone`);
      return isUnreadable;
    },
  });
  const [only] = files.length === 1 ? results : [];
  return {
    ...(only && { refactored_code: only.text }),
    ...(request.path !== undefined && { changes: changesOf(results) }),
    ...(await describeChanges(results, notes)),
    remaining: results.reduce((sum, { remaining }) => sum + remaining, 0),
    files_examined: files.length,
    ...(leftOut.length > 0 && { left_out: reportLeftOut(leftOut) }),
    notes,
    made_without_model: true,
  };
}

function changesOf(results: readonly RefactoredFile[]): RefactorOutput['changes'] {
  return results
    .filter(({ file, text }) => text !== file.text)
    .map(({ file, text }) => ({ path: file.path, content: text }));
}

/** A byte order mark is put aside: engines disagree on whether offsets count it. */
async function refactorOne(
  file: SourceFile,
  request: RefactorRequest,
  context: CodeContext,
): Promise<Refactoring> {
  const mark = file.text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const guide = chooseStyleGuide(file.language, request.style_guide);
  const lineLength = guide.lineLength ?? context.settings.lineLength;
  const result = await refactorFile(
    { ...file, text: file.text.slice(mark.length) },
    { context, guide, lineLength },
    (finding) => isNamed(finding, request.rules),
  );
  return { ...result, text: mark + result.text };
}

function isNamed({ rule }: LintFinding, rules: readonly string[] | undefined): boolean {
  if (rules === undefined || rules.length === 0) return true;
  return rules.some((name) => rule === name || rule.slice(rule.indexOf('/') + 1) === name);
}

async function describeChanges(
  results: readonly RefactoredFile[],
  notes: string[],
): Promise<Pick<RefactorOutput, 'diff' | 'files' | 'fixes_applied' | 'fixes_total'>> {
  const fixes = results.flatMap(({ file, applied }) =>
    applied.map(({ rule, line, message }) => ({ rule, file: file.path, line, message })),
  );
  const changed = results.filter(({ file, text }) => text !== file.text);
  const diffs: string[] = [];
  const files: RefactorOutput['files'] = [];
  let length = 0;
  for (const { file, text, applied } of changed) {
    const diff = await diffOf(file, text);
    length += diff?.length ?? 0;
    const isShown = diff !== undefined && length <= maxDiffCharacters;
    if (isShown) diffs.push(diff);
    else notes.push(`The diff of ${file.path} is too large to be shown`);
    files.push({
      path: file.path,
      fixes: applied.length,
      diff_lines: diff?.split('\n').length ?? 0,
    });
  }
  if (changed.length === 0)
    notes.push('Nothing here can be fixed without risk of changing behaviour');
  if (fixes.length > maxFixesListed)
    notes.push(`Only the first ${maxFixesListed} fixes are listed`);
  return {
    diff: diffs.join(''),
    files,
    fixes_applied: fixes.slice(0, maxFixesListed),
    fixes_total: fixes.length,
  };
}

async function diffOf(file: SourceFile, text: string): Promise<string | undefined> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff');
  return createTwoFilesPatch(
    `a/${file.path}`,
    `b/${file.path}`,
    file.text,
    text,
    undefined,
    undefined,
    {
      context: 3,
      timeout: maxDiffMs,
      headerOptions: FILE_HEADERS_ONLY,
    },
  );
}
