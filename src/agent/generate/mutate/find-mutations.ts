import type { Node } from 'web-tree-sitter';
import type { FunctionSite } from './find-functions.ts';
import { otherOperators, type Grammar } from './grammar.ts';
import type { TextEdit } from './text-edit.ts';
import { walkTree } from './tree-walk.ts';
import { lookupTable } from '../../../kernel/index.ts';

export type MutationKind =
  | 'result'
  | 'operator'
  | 'condition'
  | 'constant'
  | 'statement'
  | 'return'
  | 'body';

/** One small change of a function that its tests should notice. */
export interface Mutation {
  readonly kind: MutationKind;
  /** `a + b became a - b`. */
  readonly change: string;
  readonly line: number;
  readonly edits: readonly TextEdit[];
}

/** Every place of a function that can be changed, in the order of the text. */
export function findMutations(site: FunctionSite, grammar: Grammar): Mutation[] {
  const found: Mutation[] = [];
  walkTree(site.body, true, (node) => {
    if (grammar.skipped.has(node.type) || isComplaint(node) || isDocumentation(node)) {
      return undefined;
    }
    found.push(...mutationsOf(node, grammar));
    return true;
  });
  return found;
}

/** The function fails as soon as it is called. */
export function breakFunction(site: FunctionSite, grammar: Grammar): Mutation {
  return {
    kind: 'body',
    change: 'its body fails',
    line: site.line,
    edits: [failingBody(site, grammar)],
  };
}

export function failingBody({ body }: FunctionSite, { fail }: Grammar): TextEdit {
  const isValue = fail.expression !== undefined && !body.type.endsWith('block');
  const text = isValue ? fail.expression : fail.text;
  if (fail.replacesBody) return { start: body.startIndex, end: body.endIndex, text };
  // After the opening brace.
  return { start: body.startIndex + 1, end: body.startIndex + 1, text: fail.text };
}

function mutationsOf(node: Node, grammar: Grammar): Mutation[] {
  if (grammar.operations.has(node.type)) return changeOperator(node);
  if (grammar.numbers.has(node.type)) return changeNumber(node);
  if (grammar.strings.has(node.type)) return [mutation(node, 'constant', `~${node.text}`)];
  if (booleans[node.text] !== undefined && node.childCount === 0) {
    return [mutation(node, 'constant', booleans[node.text] ?? '')];
  }
  if (grammar.conditions.has(node.type)) return negateCondition(node, grammar);
  if (node.type === 'return_statement') return returnNothing(node, grammar);
  if (node.type === 'expression_statement') return removeStatement(node, grammar);
  return [];
}

const booleans: Readonly<Record<string, string>> = lookupTable({
  true: 'false',
  false: 'true',
  True: 'False',
  False: 'True',
});

function changeOperator(node: Node): Mutation[] {
  const operator = node.children.find(
    (child) => !child.isNamed && otherOperators[child.text] !== undefined,
  );
  if (!operator) return [];
  const text = otherOperators[operator.text] ?? '';
  return [
    {
      kind: 'operator',
      change: `"${operator.text}" became "${text}"`,
      line: operator.startPosition.row + 1,
      edits: [{ start: operator.startIndex, end: operator.endIndex, text }],
    },
  ];
}

function changeNumber(node: Node): Mutation[] {
  const { text } = node;
  if (/^\d{1,15}$/.test(text)) return [mutation(node, 'constant', String(Number(text) + 1))];
  if (/^\d{1,15}\.\d{1,15}$/.test(text)) {
    const [whole = '0', part = '0'] = text.split('.');
    return [mutation(node, 'constant', `${Number(whole) + 1}.${part}`)];
  }
  return [];
}

function negateCondition(node: Node, grammar: Grammar): Mutation[] {
  const condition = node.childForFieldName('condition') ?? node.namedChild(0);
  // Where the condition is an operation, that changes already; patterns are no values.
  if (!condition || grammar.operations.has(condition.type) || condition.type.startsWith('let_')) {
    return [];
  }
  return [
    {
      ...mutation(condition, 'condition', grammar.negate(condition.text)),
      change: 'a condition became its opposite',
    },
  ];
}

function returnNothing(node: Node, grammar: Grammar): Mutation[] {
  const value = node.namedChild(0);
  if (!value || grammar.nothing === null || emptyValues.has(value.text)) return [];
  return [mutation(value, 'return', grammar.nothing)];
}

const emptyValues: ReadonlySet<string> = new Set(['None', 'undefined', 'null', 'nil']);

function removeStatement(node: Node, grammar: Grammar): Mutation[] {
  const work = node.namedChild(0);
  if (!work || grammar.emptyStatement === null) return [];
  const target = work.childForFieldName('left');
  const changesObject =
    target !== null && /attribute|subscript|member|index|field/.test(target.type);
  const isEffect = /^(?:call|await|method_invocation|augmented|update|macro)/.test(work.type);
  if (!isEffect && !changesObject) return [];
  return [
    {
      ...mutation(node, 'statement', grammar.emptyStatement),
      change: `${excerpt(node)} was removed`,
    },
  ];
}

function mutation(node: Node, kind: MutationKind, text: string): Mutation {
  return {
    kind,
    change: `${excerpt(node)} became ${shorten(text)}`,
    line: node.startPosition.row + 1,
    edits: [{ start: node.startIndex, end: node.endIndex, text }],
  };
}

const maxExcerpt = 40;

function excerpt(node: Node): string {
  return shorten(node.text);
}

function shorten(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return JSON.stringify(line.length > maxExcerpt ? `${line.slice(0, maxExcerpt)}…` : line);
}

/** What an error says is rarely tested, and need not be. */
function isComplaint(node: Node): boolean {
  if (node.type !== 'call_expression') return false;
  return /^(?:panic|errors\.New|fmt\.Errorf|console\.\w+|log\.\w+)$/.test(
    node.childForFieldName('function')?.text ?? '',
  );
}

function isDocumentation(node: Node): boolean {
  return node.type === 'expression_statement' && node.namedChild(0)?.type === 'string';
}
