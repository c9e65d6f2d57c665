import type { CodeContext } from '../code-context.ts';
import type { RuffDiagnostic } from '../engines/ruff.ts';
import type { SourceFile } from '../source-files.ts';
import { hasLongLine } from '../text-positions.ts';
import type { FileScan } from './scan-file-security.ts';
import { parseTree, scanTree } from './scan-tree.ts';
import {
  findingOf,
  readRules,
  startOfText,
  type TextPosition,
  type SecurityFinding,
} from './security-rules.ts';

/** Python by Ruff's port of bandit; what only bandit has (imports, commands over SSH, lxml) by our rules. */
export async function scanPython(file: SourceFile, context: CodeContext): Promise<FileScan> {
  const own = await scanTree(file, context);
  if (own.unparsed && hasLongLine(file.text)) return own;
  const parts = await cutLongFile(file, context);
  const findings = [...own.findings];
  let { unparsed } = own;
  for (const part of parts.filter(({ lines }) => lines <= maxLines)) {
    const checked = await checkPart(part, context);
    findings.push(...toFindings(checked.diagnostics, part, file.path));
    unparsed = checked.unparsed ?? unparsed;
  }
  const isWhole = parts.every(({ lines }) => lines <= maxLines);
  return { findings, unparsed, note: isWhole ? undefined : noteOnLength };
}

/** A file, or a part of a long one behind the file's imports. */
interface FilePart {
  readonly text: string;
  readonly lines: number;
  /** Lines of imports in front, and the line of the file that follows them. */
  readonly header: number;
  readonly firstLine: number;
}

/** Ruff's time grows faster than the text where one name is assigned again and again. */
const maxLines = 10_000;
const linesPerPart = 2_000;
const noteOnLength = `has a statement of more than ${maxLines} lines: Ruff's rules did not look into it.`;

async function cutLongFile(file: SourceFile, context: CodeContext): Promise<readonly FilePart[]> {
  const lines = file.text.split('\n');
  if (lines.length <= maxLines)
    return [{ text: file.text, lines: lines.length, header: 0, firstLine: 1 }];
  const parsed = await parseTree(file, context);
  const starts = parsed?.tree.rootNode.namedChildren.map((node) => node.startPosition.row) ?? [];
  parsed?.tree.delete();
  const imports = lines.filter((line) => /^(?:import|from)\s[^(\\]{1,200}$/.test(line));
  const cuts = [0];
  for (const row of starts) if (row - (cuts.at(-1) ?? 0) >= linesPerPart) cuts.push(row);
  return cuts.map((from, index) => {
    const own = lines.slice(from, cuts[index + 1]);
    const text = [...imports, ...own].join('\n');
    return { text, lines: own.length, header: imports.length, firstLine: from + 1 };
  });
}

/**
 * Ruff's flake8-bandit rules. Without preview its codes are the stable S numbers. Left out: S113,
 * missing timeouts, which are a matter of reliability.
 */
const options = { lint: { select: ['S'], ignore: ['S113'] } } as const;
const maxRepairs = 8;

interface Checked {
  readonly diagnostics: readonly RuffDiagnostic[];
  readonly unparsed?: TextPosition | undefined;
}

/** Ruff says nothing about a text that does not parse, so the lines it cannot read are taken out and it looks again. */
async function checkPart(part: FilePart, { ruff }: CodeContext): Promise<Checked> {
  const lines = part.text.split('\n');
  let unparsed: TextPosition | undefined;
  try {
    for (let repairs = 0; repairs <= maxRepairs; repairs += 1) {
      const diagnostics = await ruff.check(lines.join('\n'), options);
      const errors = diagnostics.filter(({ code }) => !/^S\d/.test(code ?? ''));
      const [first] = errors;
      if (!first) return { diagnostics, unparsed };
      unparsed ??= positionIn(part, first);
      for (const { start_location: at } of errors)
        lines[at.row - 1] = withoutLine(lines[at.row - 1]);
    }
  } catch (error) {
    if (!isStackOverflow(error)) throw error;
    unparsed = startOfText;
  }
  return { diagnostics: [], unparsed };
}

/** First `pass` instead of the line, which keeps the block around it; nothing where that does not help. */
function withoutLine(line = ''): string {
  const [indent = ''] = /^\s*/.exec(line) ?? [];
  return /^\s*(?:pass)?$/.test(line) ? '' : `${indent}pass`;
}

function toFindings(
  diagnostics: readonly RuffDiagnostic[],
  part: FilePart,
  file: string,
): SecurityFinding[] {
  const { rules } = readRules('python');
  const lines = part.text.split('\n');
  return diagnostics.flatMap((diagnostic) => {
    const rule = rules.get(diagnostic.code ?? '');
    const position = { file, ...positionIn(part, diagnostic) };
    if (!rule || position.line < part.firstLine || isLexerToken(diagnostic, lines)) return [];
    // A fixed command is no injection today: worth knowing, not worth stopping for.
    const isFixed = /seems safe/.test(diagnostic.message);
    return [
      findingOf(rule, position, { engine: 'ruff', ...(isFixed ? { severity: 'minor' } : {}) }),
    ];
  });
}

function positionIn(
  { header, firstLine }: FilePart,
  { start_location: at }: RuffDiagnostic,
): TextPosition {
  return { line: at.row - header + firstLine - 1, column: at.column };
}

/** `token_type = "quoted-string"`: parsers speak of tokens too, and theirs are words. */
function isLexerToken(diagnostic: RuffDiagnostic, lines: readonly string[]): boolean {
  if (diagnostic.code !== 'S105' || !/token/i.test(diagnostic.message)) return false;
  const { row, column } = diagnostic.start_location;
  return /^["'][^\w"']?[A-Za-z_ -]{0,40}\W?["']/.test(
    (lines[row - 1] ?? '').slice(column - 1, column + 60),
  );
}

/** WebAssembly reports it either way, depending on whose stack ran out first. */
function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');
}
