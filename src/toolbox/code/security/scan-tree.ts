import type { Language as Grammar, Query, QueryMatch, Tree } from 'web-tree-sitter';
import type { CodeContext } from '../code-context.ts';
import { TooComplexError } from '../errors.ts';
import { inlinePath, type SourceFile } from '../source-files.ts';
import { firstErrorIn, type GrammarName } from '../syntax-tree.ts';
import { holds } from './judge-node.ts';
import type { FileScan } from './scan-file-security.ts';
import {
  findingOf,
  readRules,
  startOfText,
  type FileRule,
  type NodeMatch,
  type RuleFile,
  type SecurityFinding,
} from './security-rules.ts';
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
    return { findings, unparsed: firstErrorIn(tree) ?? cutOff };
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
  const facts: FileFacts = {
    text: file.text,
    rules,
    aliases: new Map(),
    carriers: new Set(),
    assigned: new Map(),
  };
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

/** Remembers imports (`alias …`), what variables are given (`assign`, `declare`), and which hold what a client sent (`carrier`). */
function noteFacts(shape: string, match: QueryMatch, facts: FileFacts): void {
  if (shape.startsWith('alias')) {
    const local = captured(match, 'local') ?? captured(match, 'member');
    if (local) facts.aliases.set(local.text, importedName(match));
  }
  const value = captured(match, 'value');
  if (value && /^(?:assign|declare)$/.test(shape)) {
    const name = (captured(match, 'target') ?? captured(match, 'key'))?.text ?? '';
    const known = facts.assigned.get(name) ?? [];
    known.push({ value, endIndex: value.endIndex });
    facts.assigned.set(name, known);
  }
  const target = captured(match, 'variable');
  if (shape !== 'carrier' || !value || !target) return;
  const setting = settingOf(match, value, facts);
  if (!holds(setting.select('value'), { is: 'request' }, setting)) return;
  const names = target.descendantsOfType(['identifier', 'shorthand_property_identifier_pattern']);
  for (const { text } of names) facts.carriers.add(text);
}

/** A file as a tree, and the grammar that fits it. The caller must `delete()` the tree. */
interface ParsedFile {
  readonly tree: Tree;
  readonly grammar: GrammarName;
}

/** Parses a file of a language with a grammar; `undefined` for broken text the grammar does not get through in time. */
export async function parseTree(
  { path, language, text }: SourceFile,
  { trees }: CodeContext,
): Promise<ParsedFile | undefined> {
  if (language === 'sql' || language === 'html') return undefined;
  const grammar = language === 'typescript' && path.endsWith('x') ? 'tsx' : language;
  try {
    const tree = await trees.parse(grammar, text);
    // TypeScript without a name may be either dialect.
    if (grammar !== 'typescript' || path !== inlinePath || !tree.rootNode.hasError) {
      return { tree, grammar };
    }
    const other = await trees.parse('tsx', text);
    if (other.rootNode.hasError) {
      other.delete();
      return { tree, grammar };
    }
    tree.delete();
    return { tree: other, grammar: 'tsx' };
  } catch (error) {
    if (error instanceof TooComplexError) return undefined;
    throw error;
  }
}
