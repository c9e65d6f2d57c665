import type { Node } from 'web-tree-sitter';
import type { CodeContext } from '../../code-context.ts';
import type { SourceFile } from '../../source-files.ts';
import { parseTree } from '../parse-tree.ts';
import type { FileScan } from '../scan-file-security.ts';
import { findingOf, type Place, type SecurityFinding } from '../security-rule.ts';
import { hasLongLine } from '../../engines/long-line.ts';
import { firstError, startOfText } from '../tree-rule.ts';
import { lineOf, walkSyntaxTree } from '../walk-syntax-tree.ts';
import { checkCall, checkExcept, checkFunction, checkImport } from './bandit-checks.ts';
import type { PythonMatch } from './bandit-checks.ts';
import { PythonNames } from './python-names.ts';
import { pythonRules } from './python-rules.ts';
import { findByRuff } from './find-by-ruff.ts';

/** A finding and the lines of the code it is about. */
interface Spotted {
  readonly finding: SecurityFinding;
  readonly firstLine: number;
  readonly lastLine: number;
}

/**
 * Python by our own reading of bandit's rules, and by Ruff's for what those do not see. Where both
 * report the same rule on the same code, ours stays: it names the line bandit names.
 */
export async function scanPython(file: SourceFile, context: CodeContext): Promise<FileScan> {
  const reviewed = linesWithNosec(file.text);
  const { found: own, unparsed, silenced } = await findByTree(file, context, reviewed);
  const isTooLong = countLines(file.text) > maxLinesForRuff;
  const isForRuff = !isTooLong && (!unparsed || !hasLongLine(file.text));
  const ruff = isForRuff ? await findByRuff(file, context) : [];
  const known = new Set(own.flatMap(linesByGroup));
  const told = new Set(silenced.map(({ rule, line }) => `${groupOf(rule)}:${line}`));
  const marked = (ruff ?? []).filter(
    ({ rule, line }) => reviewed.has(line) && !told.has(`${groupOf(rule)}:${line}`),
  );
  const more = (ruff ?? []).filter(
    ({ rule, line }) => !reviewed.has(line) && !known.has(`${groupOf(rule)}:${line}`),
  );
  return {
    findings: [...own.map(({ finding }) => finding), ...more],
    unparsed: unparsed ?? (ruff ? undefined : startOfText),
    note: isTooLong ? noteOnLength : undefined,
    silenced: [...silenced, ...marked],
  };
}

/** Ruff's time grows faster than the text where one name is assigned again and again. */
const maxLinesForRuff = 10_000;
const noteOnLength = `has more than ${maxLinesForRuff} lines: the rules Ruff runs (S104, S105, S108, S202, S608 …) were left out.`;

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

const maxLinesOfOne = 1_000;

/** The lines a finding speaks about, each with its rule. */
function linesByGroup({ finding, firstLine, lastLine }: Spotted): string[] {
  const count = Math.min(lastLine - firstLine + 1, maxLinesOfOne);
  return Array.from(
    { length: count },
    (_, index) => `${groupOf(finding.rule)}:${firstLine + index}`,
  );
}

/** Rules that say the same of one call: Ruff reports hashlib.md5() as S324, bandit as B303. */
function groupOf(rule: string): string {
  return sameRules.get(rule) ?? rule;
}

const sameRules: ReadonlyMap<string, string> = new Map([
  ['python/S324', 'python/S303'],
  ['python/S308', 'python/S703'],
  ['python/S603', 'python/S602'],
]);

const checkedTypes = new Set([
  'call',
  'import_statement',
  'import_from_statement',
  'function_definition',
  'except_clause',
  'except_group_clause',
  'assert_statement',
  'exec_statement',
  'expression_statement',
  'class_definition',
]);

interface TreeScan {
  readonly found: readonly Spotted[];
  readonly unparsed: Place | undefined;
  readonly silenced: readonly SecurityFinding[];
}

async function findByTree(
  file: SourceFile,
  context: CodeContext,
  skipped: ReadonlySet<number>,
): Promise<TreeScan> {
  const names = new PythonNames();
  const found: Spotted[] = [];
  const silenced: SecurityFinding[] = [];
  const tree = await parseTree(context, 'python', file.text);
  if (!tree) return { found, unparsed: startOfText, silenced };
  try {
    walkSyntaxTree(tree, {
      types: checkedTypes,
      visit: (node) => {
        const isSkipped = skipped.has(lineOf(node));
        for (const match of checkNode(node, names)) {
          const spotted = spot(match, node, file.path);
          if (!spotted) continue;
          if (isSkipped || skipped.has(spotted.finding.line)) silenced.push(spotted.finding);
          else found.push(spotted);
        }
        return !isSkipped;
      },
    });
    return { found, unparsed: firstError(tree), silenced };
  } finally {
    tree.delete();
  }
}

function checkNode(node: Node, names: PythonNames): readonly PythonMatch[] {
  switch (node.type) {
    case 'call':
      return checkCall(node, names);
    case 'import_statement':
    case 'import_from_statement':
      return checkImport(names.addImport(node));
    case 'function_definition':
      return checkFunction(node);
    case 'except_clause':
    case 'except_group_clause':
      return checkExcept(node);
    case 'assert_statement':
      return [{ rule: 'S101' }];
    case 'exec_statement':
      return [{ rule: 'S102' }];
    default:
      return [];
  }
}

function spot(match: PythonMatch, node: Node, file: string): Spotted | undefined {
  const rule = pythonRules.get(match.rule);
  if (!rule) return undefined;
  const start = (match.at ?? node).startPosition;
  const place = { file, line: start.row + 1, column: start.column + 1 };
  return {
    finding: findingOf(rule, place, match.severity ? { severity: match.severity } : {}),
    firstLine: lineOf(node),
    lastLine: node.endPosition.row + 1,
  };
}

/** Lines a person has marked as looked at, as bandit understands the mark. */
function linesWithNosec(text: string): ReadonlySet<number> {
  if (!text.includes('nosec')) return new Set();
  const lines = text.split('\n');
  return new Set(
    lines.flatMap((line, index) =>
      line.includes('# nosec') || line.includes('#nosec') ? [index + 1] : [],
    ),
  );
}
