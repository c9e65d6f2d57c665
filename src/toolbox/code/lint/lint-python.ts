import { basename } from 'node:path';
import type { RuffDiagnostic, RuffOptions } from '../engines/ruff.ts';
import { CodeSyntaxError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import type { LintFinding, LintSetup, RuleEntry, TextEdit } from './lint-finding.ts';
import {
  pythonIgnored,
  pythonSelection,
  pythonSeverities,
  safePythonFixes,
} from './python-rules.ts';
import { TextPositions } from './text-positions.ts';

/** Python by Ruff. */
export async function lintPython(file: SourceFile, setup: LintSetup): Promise<LintFinding[]> {
  const diagnostics = await setup.context.ruff.check(file.text, ruffOptions(file, setup));
  const problem = diagnostics.find(({ code }) => code === null || code === 'invalid-syntax');
  if (problem) {
    const { row, column } = problem.start_location;
    throw new CodeSyntaxError({
      path: file.path,
      language: 'python',
      line: row,
      column,
      message: problem.message,
    });
  }
  const positions = new TextPositions(file.text);
  return diagnostics.map((diagnostic) => toFinding(diagnostic, file, positions));
}

function ruffOptions(file: SourceFile, setup: LintSetup): RuffOptions {
  const { guide, lineLength } = setup;
  const isStub = file.path.endsWith('.pyi');
  const wanted = [...pythonSelection, ...(guide.adds ?? [])];
  return {
    'line-length': lineLength,
    lint: {
      select: isStub ? wanted.filter((code) => !code.startsWith('D1')) : wanted,
      ignore: [...pythonIgnored, ...(guide.drops ?? []), ...(isStub ? ['D', 'PIE790'] : [])],
      pydocstyle: { convention: guide.docstrings ?? 'pep257' },
    },
  };
}

function toFinding(
  diagnostic: RuffDiagnostic,
  file: SourceFile,
  positions: TextPositions,
): LintFinding {
  const code = diagnostic.code ?? 'unknown';
  const edits = safeEdits(diagnostic, file, positions);
  const advice = diagnostic.fix?.message ?? diagnostic.subDiagnostics[0]?.message;
  return {
    ...describeCode(code),
    rule: `python/${code}`,
    message: diagnostic.message,
    file: file.path,
    line: diagnostic.start_location.row,
    column: diagnostic.start_location.column,
    ...(advice ? { fix: advice } : {}),
    ...(edits ? { safeFix: edits } : {}),
  };
}

function describeCode(code: string): RuleEntry {
  for (let length = code.length; length > 0; length -= 1) {
    const entry = pythonSeverities[code.slice(0, length)];
    if (entry) return entry;
  }
  return { severity: 'info', area: 'maintainability' };
}

function safeEdits(
  diagnostic: RuffDiagnostic,
  file: SourceFile,
  positions: TextPositions,
): TextEdit[] | undefined {
  if (!diagnostic.fix || !safePythonFixes.has(diagnostic.code ?? '')) return undefined;
  // A package re-exports what its __init__ imports.
  if (diagnostic.code === 'F401' && basename(file.path).startsWith('__init__.')) return undefined;
  const edits = diagnostic.fix.edits.map(({ location, end_location: end, content }) => ({
    start: positions.offset(location.row, location.column),
    end: positions.offset(end.row, end.column),
    text: content ?? '',
  }));
  return edits.some((edit) => losesComment(edit, file.text)) ? undefined : edits;
}

/** A deletion that takes a `#` with it may take a comment: then a person decides. */
function losesComment(edit: TextEdit, text: string): boolean {
  const removed = text.slice(edit.start, edit.end);
  return removed.includes('#') && !edit.text.includes('#');
}
