import type { Language as Grammar, Query, QueryMatch, Tree } from 'web-tree-sitter';
import type { CodeContext } from '../../code-context.ts';
import type { SourceFile } from '../../source-files.ts';
import type { GrammarName } from '../../syntax-tree.ts';
import { holds } from './judge-node.ts';
import { parseTree } from './parse-tree.ts';
import { readRules, type FileRule, type NodeMatch, type RuleFile } from '../rules/rule-file.ts';
import type { FileScan } from '../scan-file-security.ts';
import { findingOf, startOfText, type Place, type SecurityFinding } from '../security-rule.ts';
import { captured, importedName, settingOf, type FileFacts } from './select-subjects.ts';

/** Runs the rules of a language over a file: tree-sitter queries with conditions on what they capture. */
export async function scanTree(file: SourceFile, context: CodeContext): Promise<FileScan> {
  const parsed = await parseTree(file, context);
  if (!parsed) return { findings: [], unparsed: startOfText };
  const { tree, grammar } = parsed;
  try {
    const rules = readRules(file.language === 'typescript' ? 'javascript' : file.language);
    const compiled = await compileOnce(rules, grammar, context);
    const endsAt = performance.now() + baseMs + file.text.length * maxMsPerCharacter;
    const progressCallback = (): boolean => performance.now() > endsAt;
    const matches = compiled.query.matches(tree.rootNode, { progressCallback });
    const cutOff = progressCallback() ? startOfText : undefined;
    const findings = matchRules(matches, file, { rules, ...compiled });
    return { findings, unparsed: firstError(tree) ?? cutOff };
  } finally {
    tree.delete();
  }
}

/** A query takes a microsecond per character of valid text, and far longer where the grammar did not fit. */
const baseMs = 1_000;
const maxMsPerCharacter = 0.005;

interface Compiled {
  readonly query: Query;
  /** The shape of each pattern of the query. */
  readonly shapes: readonly string[];
  /** The conditions to try for each shape. */
  readonly byShape: ReadonlyMap<string, readonly Candidate[]>;
}

interface Candidate {
  readonly rule: FileRule;
  readonly when: NodeMatch['when'];
}

const compiledFor = new WeakMap<Grammar, Compiled>();

/** A query takes milliseconds to compile; it lives as long as its grammar. */
async function compileOnce(
  { shapes, rules }: RuleFile,
  name: GrammarName,
  { trees }: CodeContext,
): Promise<Compiled> {
  const grammar = await trees.grammar(name);
  const known = compiledFor.get(grammar);
  if (known) return known;
  const { Query } = await import('web-tree-sitter');
  const used = Object.entries(shapes).filter(([, shape]) => shape.grammars?.includes(name) ?? true);
  const entries = [...rules.values()].flatMap((rule) =>
    rule.match.flatMap((match) => match.on.map((shape) => ({ shape, rule, when: match.when }))),
  );
  const compiled = {
    query: new Query(grammar, used.map(([, shape]) => shape.query).join('\n')),
    shapes: used.map(([shape]) => shape),
    byShape: Map.groupBy(entries, ({ shape }) => shape),
  };
  compiledFor.set(grammar, compiled);
  return compiled;
}

function matchRules(
  matches: readonly QueryMatch[],
  file: SourceFile,
  { rules, shapes, byShape }: Compiled & { readonly rules: RuleFile },
): SecurityFinding[] {
  const facts: FileFacts = { text: file.text, rules, aliases: new Map(), carriers: new Set() };
  for (const match of matches) noteFacts(shapes[match.patternIndex] ?? '', match, facts);
  const found = new Map<string, SecurityFinding>();
  for (const match of matches) {
    const candidates = byShape.get(shapes[match.patternIndex] ?? '');
    const at = captured(match, 'at');
    if (!candidates || !at) continue;
    const setting = settingOf(match, at, facts);
    for (const { rule, when } of candidates) {
      const isMatch = Object.entries(when).every(([selector, test]) =>
        holds(setting.select(selector), test, setting),
      );
      const { row, column } = at.startPosition;
      if (isMatch)
        found.set(
          `${rule.name} ${at.startIndex}`,
          findingOf(rule, { file: file.path, line: row + 1, column: column + 1 }),
        );
    }
  }
  return [...found.values()];
}

/** Remembers imports (`alias …`) and variables that hold what a client sent (`carrier`). */
function noteFacts(shape: string, match: QueryMatch, facts: FileFacts): void {
  if (shape.startsWith('alias')) {
    const local = captured(match, 'local') ?? captured(match, 'member');
    if (local) facts.aliases.set(local.text, importedName(match));
  }
  const value = captured(match, 'value');
  const target = captured(match, 'variable');
  if (shape !== 'carrier' || !value || !target) return;
  const setting = settingOf(match, value, facts);
  if (!holds(setting.select('value'), { is: 'request' }, setting)) return;
  const names = target.descendantsOfType(['identifier', 'shorthand_property_identifier_pattern']);
  for (const { text } of names) facts.carriers.add(text);
}

/** Where the grammar first did not fit. */
export function firstError(tree: Tree): Place | undefined {
  if (!tree.rootNode.hasError) return undefined;
  const cursor = tree.walk();
  try {
    while (cursor.gotoFirstChild()) {
      while (!cursor.currentNode.hasError && cursor.gotoNextSibling());
      const node = cursor.currentNode;
      if (node.isError || node.isMissing) break;
    }
    const { row, column } = cursor.startPosition;
    return { line: row + 1, column: column + 1 };
  } finally {
    cursor.delete();
  }
}
