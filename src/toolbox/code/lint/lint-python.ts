import { basename } from 'node:path';
import type { RuffDiagnostic, RuffOptions } from '../engines/ruff.ts';
import { syntaxError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import type { SyntaxTrees } from '../syntax-tree.ts';
import { TextPositions } from '../text-positions.ts';
import {
  findingOf,
  readLintData,
  type LintFinding,
  type LintSetup,
  type LintRule,
  type TextEdit,
} from './lint-data.ts';

/** Python by Ruff. */
export async function lintPython(file: SourceFile, setup: LintSetup): Promise<LintFinding[]> {
  const options = ruffOptions(file, setup);
  const diagnostics = await setup.context.ruff.check(file.text, options);
  // Ruff does not tell what it left out, so it looks again at a text whose comments say nothing to it.
  const unmarked = file.text.replaceAll(silencingWords, (word) => '-'.repeat(word.length));
  if (setup.onSilenced && unmarked !== file.text) {
    const all = await setup.context.ruff.check(unmarked, options);
    setup.onSilenced(Math.max(0, all.length - diagnostics.length));
  }
  const problem = diagnostics.find(({ code }) => code === null || code === 'invalid-syntax');
  if (problem) {
    const { row, column } = problem.start_location;
    throw syntaxError(file, { line: row, column }, problem.message);
  }
  const source: PythonSource = {
    file,
    positions: new TextPositions(file.text),
    keepsImports: keepsImports(file),
    strings: diagnostics.some(isTrailingSpace)
      ? await pythonStrings(file.text, setup.context.trees)
      : [],
  };
  return diagnostics.map((diagnostic) => toFinding(diagnostic, source));
}

/** `# noqa` and `# isort: skip`, for a line; `# ruff: noqa`, `# flake8: noqa` and `# ruff: disable`, for more. */
const silencingWords = /\b(?:noqa|ruff:|flake8:|isort:)/gi;

/** What decides whether a fix of Ruff's is safe here. */
interface PythonSource {
  readonly file: SourceFile;
  readonly positions: TextPositions;
  readonly keepsImports: boolean;
  /** Its string literals in order; only looked for when a fix may lie in one. */
  readonly strings: readonly TextRange[];
}

function isTrailingSpace({ code }: RuffDiagnostic): boolean {
  return code === 'W291' || code === 'W293';
}

/** A package re-exports what its __init__ imports, and a name looked up by its text shows no use. */
function keepsImports(file: SourceFile): boolean {
  return basename(file.path).startsWith('__init__.') || looksUpNames(file.text);
}

function ruffOptions(file: SourceFile, setup: LintSetup): RuffOptions {
  const { guide, lineLength } = setup;
  const isStub = file.path.endsWith('.pyi');
  const { select, ignore } = readLintData('python');
  const wanted = [...select, ...(guide.adds ?? [])];
  return {
    'line-length': lineLength,
    lint: {
      select: isStub ? wanted.filter((code) => !code.startsWith('D1')) : wanted,
      ignore: [...ignore, ...(guide.drops ?? []), ...(isStub ? ['D', 'PIE790'] : [])],
      pydocstyle: { convention: guide.docstrings ?? 'pep257' },
    },
  };
}

function toFinding(diagnostic: RuffDiagnostic, source: PythonSource): LintFinding {
  const code = diagnostic.code ?? 'unknown';
  const { row: line, column } = diagnostic.start_location;
  const advice = diagnostic.fix?.message ?? diagnostic.subDiagnostics[0]?.message;
  return findingOf({ ...describeCode(code), name: code }, source.file, {
    message: diagnostic.message,
    line,
    column,
    fix: advice || undefined,
    safeFix: safeEdits(diagnostic, source),
  });
}

function describeCode(code: string): Pick<LintRule, 'severity' | 'area'> {
  for (let length = code.length; length > 0; length -= 1) {
    const rule = readLintData('python').byName.get(code.slice(0, length));
    if (rule) return rule;
  }
  return { severity: 'info', area: 'maintainability' };
}

function safeEdits(
  diagnostic: RuffDiagnostic,
  { file, positions, strings, ...source }: PythonSource,
): TextEdit[] | undefined {
  if (!diagnostic.fix || !readLintData('python').safeFixes.includes(diagnostic.code ?? ''))
    return undefined;
  if (diagnostic.code === 'F401' && source.keepsImports) return undefined;
  const edits = diagnostic.fix.edits.map(({ location, end_location: end, content }) => ({
    start: positions.offset(location.row, location.column),
    end: positions.offset(end.row, end.column),
    text: content ?? '',
  }));
  if (isTrailingSpace(diagnostic) && edits.some((edit) => isInside(edit, strings)))
    return undefined;
  return edits.some((edit) => losesComment(edit, file.text)) ? undefined : edits;
}

/** The space at the end of a line of a string is part of its value. */
function isInside({ start }: TextEdit, strings: readonly TextRange[]): boolean {
  // The last string that starts at or before it; there may be very many of both.
  let low = 0;
  let high = strings.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((strings[middle]?.start ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  return start < (strings[low - 1]?.end ?? 0);
}

/** A deletion that takes a `#` with it may take a comment: then a person decides. */
function losesComment(edit: TextEdit, text: string): boolean {
  const removed = text.slice(edit.start, edit.end);
  return removed.includes('#') && !edit.text.includes('#');
}

/** Offsets in a text (UTF-16 units, end exclusive). */
interface TextRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Where the string literals of a Python text are, in order, f-strings with what is inside them. A text
 * the grammar does not understand counts as one string.
 */
async function pythonStrings(text: string, trees: SyntaxTrees): Promise<TextRange[]> {
  const tree = await trees.parse('python', text);
  try {
    if (tree.rootNode.hasError) return [{ start: 0, end: text.length }];
    const found: TextRange[] = [];
    for (const { startIndex: start, endIndex: end } of tree.rootNode.descendantsOfType('string')) {
      // Strings inside an f-string are part of it.
      if (start >= (found.at(-1)?.end ?? 0)) found.push({ start, end });
    }
    return found;
  } finally {
    tree.delete();
  }
}

/** What finds a name by its text, in this module or in the one that calls. */
const lookups =
  /(?:(?<![\w.])|\bbuiltins\.|__builtins__\.)(?:eval|exec|globals|locals|vars)\b|(?<![\w.])dir\(\)|\[__name__\]|\bf_(?:globals|locals)\b|\b__main__ import\b/;

const exportList = /\b__all__\b/g;

/** A list of names in quotes and nothing after it: Ruff reads that and keeps what it names. */
const literalExportList =
  /\b__all__[ \t]{0,8}\+?=[ \t]{0,8}[[(]\s{0,80}(?:(?:"\w{1,100}"|'\w{1,100}')\s{0,80}(?:,\s{0,80})?){0,5000}[\])][ \t]{0,8}\r?$/gm;

/**
 * Whether a Python text may use names without writing them as names: by `eval`, `globals()` and the
 * like, or by an `__all__` that is computed. Words in comments and strings count too.
 */
export function looksUpNames(text: string): boolean {
  if (lookups.test(text)) return true;
  const lists = text.match(exportList)?.length ?? 0;
  return lists > 0 && lists > (text.match(literalExportList)?.length ?? 0);
}
