import type { CodeContext } from '../code-context.ts';
import { parseHtml } from '../format/format-html.ts';
import { withEndTags } from '../format/html-end-tags.ts';
import { splitStatements, tokenizeSql, type SqlToken } from '../lint/sql-tokens.ts';
import type { SourceFile } from '../source-files.ts';
import { fromSyntaxTree, type CodeTree, type TextSpan } from './code-tree.ts';
import type { LineCounts, Structure } from './complexity-schema.ts';
import { countLines } from './maintainability.ts';

interface StructureMeasure {
  readonly lines: LineCounts;
  readonly structure: Structure;
}

/** Counts what a query, page or style sheet is made of. */
export async function measureStructure(
  file: SourceFile & { readonly language: 'sql' | 'html' | 'css' },
  context: Pick<CodeContext, 'trees'>,
): Promise<StructureMeasure> {
  if (file.language === 'sql') return measureSql(file.text);
  return file.language === 'html' ? measureHtml(file) : measureCss(file.text, context);
}

function measureSql(text: string): StructureMeasure {
  const tokens = tokenizeSql(text);
  const words = tokens.filter(({ kind }) => kind === 'word');
  const statements = splitStatements(tokens).length;
  const count = (...names: string[]): number =>
    words.filter(({ upper }) => names.includes(upper)).length;
  const { subqueries, nesting } = countSubqueries(tokens);
  return {
    lines: countLines({ text, comments: gapsBetween(tokens, text), logical: statements }),
    structure: {
      kind: 'sql',
      statements,
      selects: count('SELECT'),
      joins: count('JOIN'),
      subqueries,
      common_table_expressions: countCommonTableExpressions(tokens),
      set_operations: count('UNION', 'INTERSECT', 'EXCEPT'),
      case_expressions: count('CASE') - tokens.filter(isEndCase).length,
      nesting,
    },
  };
}

/** `END CASE` of a procedure closes a `CASE`. */
function isEndCase(token: SqlToken, index: number, tokens: readonly SqlToken[]): boolean {
  return token.upper === 'CASE' && tokens[index - 1]?.upper === 'END';
}

/** Comments are all that stands between tokens and is not space. */
function gapsBetween(tokens: readonly SqlToken[], text: string): TextSpan[] {
  const gaps: TextSpan[] = [];
  let at = 0;
  for (const { start, end } of [...tokens, { start: text.length, end: text.length }]) {
    const gap = text.slice(at, start);
    const lead = gap.length - gap.trimStart().length;
    if (lead < gap.length) gaps.push({ start: at + lead, end: at + gap.trimEnd().length });
    at = end;
  }
  return gaps;
}

function countSubqueries(tokens: readonly SqlToken[]): { subqueries: number; nesting: number } {
  let subqueries = 0;
  let nesting = 0;
  const open: number[] = [];
  for (const [index, token] of tokens.entries()) {
    while ((open.at(-1) ?? -1) > token.depth) open.pop();
    const isQuery = token.upper === 'SELECT' && tokens[index - 1]?.text === '(';
    if (!isQuery) continue;
    open.push(token.depth);
    subqueries += 1;
    nesting = Math.max(nesting, open.length);
  }
  return { subqueries, nesting };
}

/** `name AS (` or `name (columns) AS (` directly below a `WITH`. */
function countCommonTableExpressions(tokens: readonly SqlToken[]): number {
  const withDepths: number[] = [];
  let count = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.text === ';') withDepths.length = 0;
    if (token.upper === 'WITH') withDepths.push(token.depth);
    const next = tokens.slice(index + 1, index + 4).map(({ upper }) => upper);
    const opens = next.find((word) => !['NOT', 'MATERIALIZED'].includes(word)) === '(';
    if (token.upper === 'AS' && opens && withDepths.includes(token.depth)) count += 1;
  }
  return count;
}

/** Counts the elements of a valid page; end tags that may be left out are filled in before. */
async function measureHtml(file: SourceFile): Promise<StructureMeasure> {
  const { text } = withEndTags(file.text);
  const elements: string[] = [];
  const comments: TextSpan[] = [];
  let nesting = 0;
  const open = [{ node: await parseHtml({ ...file, text }), depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node } = next;
    const { kind, name = '', sourceSpan, children = [] } = node;
    if (kind === 'element') elements.push(name.toLowerCase());
    const start = sourceSpan?.start.offset ?? 0;
    // An XML declaration is a comment to the parser, too.
    if (kind === 'comment' && text.startsWith('<!--', start)) {
      comments.push({ start, end: sourceSpan?.end.offset ?? start });
    }
    const depth = next.depth + (kind === 'element' ? 1 : 0);
    nesting = Math.max(nesting, depth);
    for (const child of children) open.push({ node: child, depth });
  }
  const count = (name: string): number => elements.filter((element) => element === name).length;
  return {
    lines: countLines({ text, comments, logical: elements.length }),
    structure: {
      kind: 'html',
      elements: elements.length,
      scripts: count('script'),
      styles: count('style'),
      forms: count('form'),
      nesting,
    },
  };
}

async function measureCss(
  text: string,
  context: Pick<CodeContext, 'trees'>,
): Promise<StructureMeasure> {
  const parsed = await context.trees.parse('css', text);
  const tree = fromSyntaxTree(parsed, text);
  parsed.delete();
  const count = (kind: string): number => tree.nodes.filter((node) => node.kind === kind).length;
  const rules = count('rule_set');
  const declarations = count('declaration');
  const atRules = tree.nodes.filter(({ kind }) => cssAtRule.test(kind)).length;
  return {
    lines: countLines({ text, comments: tree.comments, logical: rules + declarations + atRules }),
    structure: {
      kind: 'css',
      rules,
      selectors: tree.nodes
        .filter(({ kind }) => kind === 'selectors')
        .reduce((sum, { children }) => sum + children.filter(({ kind }) => kind !== ',').length, 0),
      declarations,
      at_rules: atRules,
      important: count('important'),
      nesting: blockDepth(tree),
    },
  };
}

const cssAtRule =
  /^(media|import|charset|namespace|keyframes|supports|scope|postcss)_statement$|^at_rule$/;

function blockDepth({ nodes }: CodeTree): number {
  const open: number[] = [];
  let deepest = 0;
  for (const { kind, index, last } of nodes) {
    while ((open.at(-1) ?? index) < index) open.pop();
    if (kind !== 'block' && kind !== 'keyframe_block_list') continue;
    open.push(last);
    deepest = Math.max(deepest, open.length);
  }
  return deepest;
}
