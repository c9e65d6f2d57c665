import type { CodeContext } from '../../code-context.ts';
import { parseJavascriptFile } from '../../engines/parse-inline.ts';
import { CodeSyntaxError, TooComplexError } from '../../errors.ts';
import type { SourceFile } from '../../source-files.ts';
import type { FileScan } from '../scan-file-security.ts';
import { findingOf, type Place, type SecurityFinding } from '../security-rule.ts';
import { startOfText } from '../tree-rule.ts';
import { TextPositions } from '../../text-positions.ts';
import { cryptoMatchers } from './crypto-matchers.ts';
import { injectionMatchers } from './injection-matchers.ts';
import { javascriptRules } from './javascript-rules.ts';
import type { Matcher } from './matcher.ts';
import { ScriptFacts } from './script-facts.ts';
import { nodeAt, walkNodes, type TreeNode } from './tree-node.ts';
import { webMatchers } from './web-matchers.ts';

export const javascriptMatchers = { ...injectionMatchers, ...webMatchers, ...cryptoMatchers };

/** JavaScript and TypeScript by our own rules over the syntax tree. */
export async function scanJavascript(file: SourceFile, context: CodeContext): Promise<FileScan> {
  const parsed = await parseJavascriptFile(file, context.trees).catch(placeOfFailure);
  if ('line' in parsed) return { findings: [], unparsed: parsed };
  const places = new TextPositions(file.text);
  const [error] = parsed.errors;
  // oxc's program is an ESTree: every node has type, start and end, which is all TreeNode claims.
  const program = parsed.program as unknown as TreeNode;
  return {
    findings: matchAll(program, file, places),
    unparsed: error && places.position(error.labels[0]?.start ?? 0),
  };
}

/** Where a text cannot be read that was not given to the parser. */
function placeOfFailure(error: unknown): Place {
  if (error instanceof TooComplexError) return startOfText;
  if (error instanceof CodeSyntaxError) return error.problem;
  throw error;
}

function matchAll(program: TreeNode, file: SourceFile, places: TextPositions): SecurityFinding[] {
  const facts = new ScriptFacts(program, file.text);
  const found: SecurityFinding[] = [];
  walkNodes(program, (node, parent) => {
    const interested = matchersByType.get(node.type);
    if (!interested) return;
    const name = facts.nameOf(nodeAt(node, 'callee'));
    for (const [rule, matcher] of interested) {
      if (!matcher.match({ node, parent, name, facts })) continue;
      const data = javascriptRules.get(rule);
      if (data) found.push(findingOf(data, { file: file.path, ...places.position(node.start) }));
    }
  });
  return found;
}

const matchersByType = groupByType(Object.entries(javascriptMatchers));

function groupByType(
  entries: readonly (readonly [string, Matcher])[],
): ReadonlyMap<string, readonly (readonly [string, Matcher])[]> {
  const grouped = new Map<string, (readonly [string, Matcher])[]>();
  for (const entry of entries) {
    for (const type of entry[1].on) grouped.set(type, [...(grouped.get(type) ?? []), entry]);
  }
  return grouped;
}
