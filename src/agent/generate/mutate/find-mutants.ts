import type { Node } from 'web-tree-sitter';
import { lookupTable } from '../../../kernel/index.ts';
import { conditionOf, type FunctionSite } from './find-functions.ts';
import type { Grammar } from '../language.ts';
import operators from './operators.json' with { type: 'json' };
import { type TextEdit, walkTree } from '../syntax-tree.ts';

export type MutantKind =
  | 'condition'
  | 'boundary'
  | 'arithmetic'
  | 'constant'
  | 'return'
  | 'statement'
  | 'call'
  | 'alternative';

/** One small change of the code that its tests should notice. */
export interface Mutant {
  readonly kind: MutantKind;
  /** The function it is in: `Stack.push`. */
  readonly function: string;
  /** `add: "+" became "-", line 2`. */
  readonly description: string;
  /** Where the innermost branch that it is in starts: mutants are sampled over branches. */
  readonly branch: number;
  readonly edits: readonly TextEdit[];
}

type Change = Pick<Mutant, 'kind' | 'edits'> & {
  readonly change: string;
  readonly line: number;
};

/** Every change of a function that the table of operators knows, in the order of the text. */
export function findMutants(site: FunctionSite, grammar: Grammar): Mutant[] {
  const found: Mutant[] = [];
  walkTree(site.body, site.body.startIndex, (node, outer) => {
    const branch = blocks.test(node.type) ? node.startIndex : outer;
    for (const { change, line, ...mutant } of changesOf(node, site, grammar)) {
      const description = `${site.name}: ${change}, line ${line}`;
      found.push({ ...mutant, function: site.name, description, branch });
    }
    const isLeftOut = grammar.skipped.has(node.type) || isComplaint(node) || isDocumentation(node);
    return isLeftOut ? undefined : branch;
  });
  return found;
}

const blocks =
  /(?:^|_)block$|^(?:switch_case|switch_default|expression_case|default_case|type_case)$/;

function changesOf(node: Node, site: FunctionSite, grammar: Grammar): Change[] {
  const isWholeBody = node.equals(site.body) && !node.type.endsWith('block');
  const result = isWholeBody ? changeResult(node, site, grammar) : [];
  return [...result, ...changesOfNode(node, site, grammar)];
}

function changesOfNode(node: Node, site: FunctionSite, grammar: Grammar): Change[] {
  const { type } = node;
  if (type === 'raise_statement' || type === 'throw_statement') {
    // No test gets to what only says that it cannot be reached.
    if (/\bAssertionError\b|\bunreachable\b/i.test(node.text)) return [];
    return [...removed(node, grammar), ...otherError(node, grammar)];
  }
  if (grammar.skipped.has(type)) return [];
  if (grammar.operations.has(type)) return [...changeOperator(node), ...otherCall(node, grammar)];
  if (grammar.numbers.has(type)) return isAtZero(node.parent) ? [] : changeNumber(node);
  if (grammar.strings.has(type)) {
    return isProse(node.text) ? [] : [changed(node, 'constant', `~${node.text}`)];
  }
  if (tables.constant[node.text] !== undefined && node.childCount === 0) {
    return [changed(node, 'constant', tables.constant[node.text]?.[0] ?? '')];
  }
  if (grammar.conditions.has(type)) return negateCondition(node, grammar);
  if (type === 'return_statement') {
    const value = node.namedChild(0);
    return value && value.type !== 'comment' ? changeResult(value, site, grammar) : [];
  }
  if (type === 'expression_statement') return removeStatement(node, grammar);
  if (type !== 'call' && type !== 'call_expression') return [];
  return [...unwrapCall(node), ...otherCall(node, grammar)];
}

type Table = Readonly<Record<string, readonly string[]>>;

const tables = {
  condition: lookupTable<readonly string[]>(operators.condition),
  boundary: lookupTable<readonly string[]>(operators.boundary),
  arithmetic: lookupTable<readonly string[]>(operators.arithmetic),
  constant: lookupTable<readonly string[]>(operators.constant),
} satisfies Record<string, Table>;

function changeOperator(node: Node): Change[] {
  const operator = node.children.find(
    (child) => child.text in tables.condition || child.text in tables.arithmetic,
  );
  if (!operator || isLoopStep(node)) return [];
  return (['condition', 'boundary', 'arithmetic'] as const).flatMap((kind) => {
    if (kind === 'boundary' && (isSameAtBoundary(node) || isAtZero(node))) return [];
    return (tables[kind][operator.text] ?? []).map((text) => {
      if (text === 'LEFT' || text === 'RIGHT') return keepOperand(node, text);
      return {
        kind,
        change: `"${operator.text}" became "${text}"`,
        line: operator.startPosition.row + 1,
        edits: [{ start: operator.startIndex, end: operator.endIndex, text }],
      };
    });
  });
}

/** `a and b` becomes `a`, or `b`. */
function keepOperand(node: Node, which: 'LEFT' | 'RIGHT'): Change {
  const kept = (which === 'LEFT' ? node.namedChildren[0] : node.namedChildren.at(-1)) ?? node;
  return changed(node, 'condition', `(${kept.text})`);
}

/** `i += 1` of a loop: without it the loop does not end, which every test would notice. */
function isLoopStep(node: Node): boolean {
  if (!/assignment|update|^(?:inc|dec)_/.test(node.type)) return false;
  if (/^for_(?:statement|clause)$/.test(node.parent?.type ?? '')) return true;
  const step = new RegExp(`(?<![\\w.])${RegExp.escape(node.namedChild(0)?.text ?? '')}\\b`);
  for (let outer = node.parent; outer !== null; outer = outer.parent) {
    if (!/^(?:while|do|for)_statement$/.test(outer.type)) continue;
    if (step.test((conditionOf(outer) ?? outer.namedChild(0))?.text ?? '')) return true;
  }
  return false;
}

/** `x < low ? low : x` gives the same with `<=`: a change that changes nothing. */
function isSameAtBoundary(node: Node): boolean {
  return node.namedChildren.some(({ text }) => text === valueWhenTrue(node));
}

/** `x < 0 ? -x : x` gives the same with `<=` and, for whole numbers, with 1. */
function isAtZero(node: Node | null): boolean {
  const [one, zero] = node?.namedChildren ?? [];
  return node !== null && zero?.text === '0' && valueWhenTrue(node) === `-${one?.text}`;
}

function valueWhenTrue(node: Node): string {
  let outer = node.parent;
  while (outer?.type === 'parenthesized_expression') outer = outer.parent;
  const first = outer?.type === 'conditional_expression' ? outer.namedChild(0) : null;
  const text = (first ?? outer?.childForFieldName('consequence'))?.text ?? '';
  const value = text.replace(/^[{\s]*(?:return\b|[\w.[\]]+\s*:?=)?\s*/, '').replace(/[;}\s]*$/, '');
  return value.replace(/^(?:Ok|Some)\((.*)\)$/, '$1');
}

function changeNumber(node: Node): Change[] {
  const { text } = node;
  if (/^\d{1,15}$/.test(text)) return [changed(node, 'constant', String(Number(text) + 1))];
  if (/^\d{1,15}\.\d{1,15}$/.test(text)) {
    const [whole = '0', part = '0'] = text.split('.');
    return [changed(node, 'constant', `${Number(whole) + 1}.${part}`)];
  }
  return [];
}

function negateCondition(node: Node, grammar: Grammar): Change[] {
  const condition = conditionOf(node);
  const inner =
    condition?.type === 'parenthesized_expression' ? condition.namedChild(0) : condition;
  // Where the condition is an operation, that changes already; patterns are no values.
  if (!condition || !inner || grammar.operations.has(inner.type)) return [];
  if (condition.type.startsWith('let_')) return [];
  const change = changed(
    condition,
    'condition',
    grammar.negate.replace('$', () => condition.text),
  );
  return [{ ...change, change: `the condition ${excerpt(condition)} became its opposite` }];
}

/** Another value of the same type. Literals change as constants. */
function changeResult(value: Node, site: FunctionSite, grammar: Grammar): Change[] {
  const { returns } = site;
  const isLiteral = (one: Node): boolean =>
    grammar.literals.test(one.type) && !one.text.includes('{') && !isProse(one.text);
  if (grammar.isDynamic) {
    if (isLiteral(value)) return [];
    const whole = resultOf(value, `changed_result__(${value.text})`);
    if (!isCollection(value, site)) return [whole];
    const inside = resultOf(value, `changed_result__(${value.text}, 0, 1)`);
    return [whole, { ...inside, change: inside.change.replace('the result', 'what is in') }];
  }
  const types = /^\(.*\)$/s.test(returns) ? typesOf(returns) : [returns];
  const values = value.type === 'expression_list' ? value.namedChildren : [value];
  // Beside an error the other results mean nothing; an error that is only passed on is changed where it is made.
  const isError = types.at(-1) === 'error' && values.at(-1)?.text !== 'nil';
  if (values.length !== types.length || (isError && values.at(-1)?.type === 'identifier'))
    return [];
  return values.flatMap((one, index) => {
    if (isLiteral(one) || (isError && index < values.length - 1)) return [];
    const text = otherValue(one.text, types[index] ?? '', grammar.results);
    return text === undefined ? [] : [resultOf(one, text)];
  });
}

const collectionTypes =
  /^\W*(?:list|dict|tuple|sequence|mapping|array|readonlyarray|map|record)\b|\[\]\W*$/i;
const collections =
  /^(?:list|dictionary|tuple|array|object|list_comprehension|dictionary_comprehension)$/;
const makers =
  /^(?:list|dict|tuple|sorted|Array\.from|Object\.(?:keys|values|entries|fromEntries)|.*\.(?:map|filter|split|slice|flatMap|toSorted|toReversed))$/s;

/** Whether a result is known to have parts: a test of their number alone notices no change in them. */
function isCollection(value: Node, { body }: FunctionSite): boolean {
  const declared = body.parent?.childForFieldName('return_type')?.text ?? '';
  if (collectionTypes.test(declared) || collections.test(value.type)) return true;
  if (makers.test(value.childForFieldName('function')?.text ?? '')) return true;
  const assigned = `(?<![\\w.])${RegExp.escape(value.text)}\\b(?:: [^=\\n]+)? = [[{]`;
  return value.type === 'identifier' && new RegExp(assigned).test(body.text);
}

/** What people read is rarely tested to the letter, and need not be; as a result it is. */
function isProse(text: string): boolean {
  return /[A-Za-z.,:;]\s+[A-Za-z]/.test(text);
}

function resultOf(value: Node, text: string): Change {
  return { ...changed(value, 'return', text), change: `the result ${excerpt(value)} was changed` };
}

/** `(int, error)`, or with names `(n int, err error)`. */
function typesOf(returns: string): string[] {
  return returns
    .slice(1, -1)
    .split(',')
    .map((part) => part.trim().split(/\s+/).at(-1) ?? '');
}

function otherValue(value: string, type: string, results: Grammar['results']): string | undefined {
  if (value === 'nil') return undefined;
  for (const [pattern, template] of Object.entries(results)) {
    const match = new RegExp(pattern).exec(type);
    if (!match) continue;
    return template
      .replace('$TYPE', type)
      .replace('$1', match[1] ?? '')
      .replace('($)', () => `(${value})`);
  }
  return undefined;
}

function removeStatement(node: Node, grammar: Grammar): Change[] {
  const work = node.namedChild(0);
  if (!work || isLog(work) || isDocumentation(node) || isLock(work)) return [];
  const target = work.childForFieldName('left');
  const changesObject =
    target !== null && /attribute|subscript|member|index|field/.test(target.type);
  const isEffect = /^(?:call|await|yield|method_invocation|augmented|macro)/.test(work.type);
  return isEffect || changesObject ? removed(node, grammar) : [];
}

function removed(node: Node, { emptyStatement }: Grammar): Change[] {
  if (emptyStatement === null) return [];
  return [
    { ...changed(node, 'statement', emptyStatement), change: `${excerpt(node)} was removed` },
  ];
}

/** A test that is content with any error notices none of another kind. */
function otherError(node: Node, { fail }: Grammar): Change[] {
  const value = node.namedChild(0);
  const isAny = /^(?:new\s+)?(?:Base)?(?:Error|Exception)\b/.test(value?.text ?? '');
  if (fail.otherError === undefined || !value || isAny) return [];
  return [
    {
      ...changed(value, 'statement', fail.otherError),
      change: `${excerpt(node)} became another error`,
    },
  ];
}

/** `sorted(items)` becomes `items`, `name.strip()` becomes `name`. */
function unwrapCall(node: Node): Change[] {
  const called = node.childForFieldName('function');
  const given = node.childForFieldName('arguments');
  if (!called || given?.type !== (node.type === 'call' ? 'argument_list' : given?.type)) return [];
  if (node.parent?.type === 'expression_statement' || isComplaint(node)) return [];
  const [first, ...more] = given?.namedChildren ?? [];
  if (more.length > 0 || conversions.test(called.text)) return [];
  const kept = first ?? called.childForFieldName('object');
  const isPlain =
    kept !== null && !/^(?:keyword_argument|spread_element|list_splat|arrow_)/.test(kept.type);
  return isPlain ? [changed(node, 'call', kept.text)] : [];
}

/** `numbers.sort()` becomes what was perhaps meant: checks that notice no difference do not show which one is right. */
function otherCall(node: Node, { alternatives }: Grammar): Change[] {
  return Object.entries(alternatives).flatMap(([pattern, other]) => {
    const text = node.text.replace(new RegExp(pattern, 's'), other);
    if (text === node.text) return [];
    const change = `${JSON.stringify(lastOf(node.text))} became ${JSON.stringify(lastOf(text))}`;
    return [{ ...changed(node, 'alternative', text), change }];
  });
}

/** Their result mostly equals their argument, or the code does not compile without them. */
const conversions =
  /^(?:Ok|Err|Some|dict|list|tuple|set|frozenset|iter|str|bool|String|Boolean|Object\.(?:freeze|entries)|Array\.from|structuredClone|copy|deepcopy|copy\.(?:copy|deepcopy))$/;

function changed(node: Node, kind: MutantKind, text: string): Change {
  return {
    kind,
    change: `${excerpt(node)} became ${shorten(text)}`,
    line: node.startPosition.row + 1,
    edits: [{ start: node.startIndex, end: node.endIndex, text }],
  };
}

const maxExcerpt = 40;

/** The end of a chain of calls. */
function lastOf(text: string): string {
  return text.length > maxExcerpt ? `…${text.slice(-maxExcerpt)}` : text;
}

function excerpt(node: Node): string {
  return shorten(node.text);
}

function shorten(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return JSON.stringify(line.length > maxExcerpt ? `${line.slice(0, maxExcerpt)}…` : line);
}

/** What an error says is rarely tested, and need not be. */
function isComplaint(node: Node): boolean {
  const called = node.type === 'call_expression' ? node.childForFieldName('function')?.text : '';
  return /^(?:panic|errors\.New|fmt\.Errorf)$/.test(called ?? '') || isLog(node);
}

function isLog(node: Node): boolean {
  if (!node.type.startsWith('call')) return false;
  const called = node.childForFieldName('function')?.text ?? '';
  return /^(?:console|log|logger|logging|_?log)\.\w+$/i.test(called);
}

/** Whether a test notices that threads no longer wait for each other is chance. */
function isLock(node: Node): boolean {
  const called = node.childForFieldName('function')?.text ?? '';
  return /\.R?(?:Unl|L)ock$|\b(?:wg|wait\w*|group)\.(?:Add|Done|Wait)$/i.test(called);
}

function isDocumentation(node: Node): boolean {
  return node.type === 'expression_statement' && node.namedChild(0)?.type === 'string';
}

/** Most informative kinds first. */
const kindOrder: readonly MutantKind[] = [
  'return',
  'condition',
  'boundary',
  'arithmetic',
  'constant',
  'statement',
  'call',
];

/** At most `max` mutants, spread evenly over branches, and over kinds within a branch. The same for the same code. */
export function sampleMutants(mutants: readonly Mutant[], max: number): Mutant[] {
  if (mutants.length <= max) return [...mutants];
  const byBranch = Map.groupBy(mutants, ({ function: name, branch }) => `${name} ${branch}`);
  const queues = [...byBranch.values()].map(interleaveKinds);
  const chosen: Mutant[] = [];
  for (let nth = 0; chosen.length < max; nth += 1) {
    const row = queues.flatMap((queue) => queue[nth] ?? []);
    chosen.push(...row.slice(0, max - chosen.length));
  }
  return chosen;
}

/** The first of each kind, then the second of each kind, and so on. */
function interleaveKinds(mutants: readonly Mutant[]): Mutant[] {
  const seen = new Map<string, number>();
  const ranked = mutants.map((mutant) => {
    const nth = seen.get(mutant.kind) ?? 0;
    seen.set(mutant.kind, nth + 1);
    return { mutant, nth, kind: kindOrder.indexOf(mutant.kind) };
  });
  return ranked.sort((a, b) => a.nth - b.nth || a.kind - b.kind).map(({ mutant }) => mutant);
}
