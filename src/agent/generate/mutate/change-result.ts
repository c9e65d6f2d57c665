import type { Node } from 'web-tree-sitter';
import type { FunctionSite } from './find-functions.ts';
import type { Mutation } from './find-mutations.ts';
import type { Grammar } from './grammar.ts';
import type { TextEdit } from './text-edit.ts';
import { walkTree } from './tree-walk.ts';
import { changerName } from './value-changers.ts';

const functionNodes =
  /^(?:function_definition|lambda|class_definition|function_declaration|function_expression|arrow_function|method_definition|class|class_declaration|generator_function.*|func_literal|lambda_expression|closure_expression)$/;

/** Every value that the function returns becomes another of its type. None where the grammar knows no such change. */
export function changeResult(site: FunctionSite, grammar: Grammar, endOfText: number): Mutation[] {
  const values = returnedValues(site.body);
  const edits = /^\(.*,/s.test(site.returns)
    ? values.flatMap((list) => changeSome(list, typesOf(site.returns), grammar))
    : values.flatMap((value) => changeOne(value, changeFor(site.returns, grammar)));
  if (edits.length === 0) return [];
  const helper = { start: endOfText, end: endOfText, text: grammar.changer ?? '' };
  return [
    {
      kind: 'result',
      change: 'its result was changed',
      line: site.firstBodyLine,
      edits: [...edits, helper],
    },
  ];
}

function changeOne(
  { startIndex, endIndex, text }: Node,
  change: Change | undefined,
): readonly TextEdit[] {
  return change ? [{ start: startIndex, end: endIndex, text: change(text) }] : [];
}

/** Of several values that Go returns at once, those of a known type. */
function changeSome(list: Node, types: readonly string[], grammar: Grammar): TextEdit[] {
  const values = list.namedChildren;
  if (list.type !== 'expression_list' || values.length !== types.length) return [];
  return values.flatMap((value, index) => changeOne(value, changeFor(types[index] ?? '', grammar)));
}

/** `(int, error)`, or with names `(n int, err error)`. */
function typesOf(returns: string): string[] {
  return returns
    .slice(1, -1)
    .split(',')
    .map((part) => part.trim().split(/\s+/).at(-1) ?? '');
}

/** Where values have types, those that are written in a known way are changed in place. */
function changeFor(type: string, { changer, hasTypes }: Grammar): Change | undefined {
  if (changer !== null) return (value) => `${changerName}(${value})`;
  if (!hasTypes) return undefined;
  if (/^(?:u?int(?:8|16|32|64)?|float(?:32|64)?|byte|rune|long|short|double)$/.test(type)) {
    return (value) => `(${value}) + 1`;
  }
  if (/^[sS]tring$/.test(type)) return (value) => `(${value}) + "~"`;
  const element = /^\[\]([\w.*]{1,100})$/.exec(type)?.[1];
  if (element !== undefined) return (value) => `append(${type}(${value}), *new(${element}))`;
  return /^bool(?:ean)?$/.test(type) ? (value) => `!(${value})` : undefined;
}

type Change = (value: string) => string;

/** Without those of functions inside. An arrow function may be nothing but the value. */
function returnedValues(body: Node): Node[] {
  if (!body.type.endsWith('block') && body.type !== 'constructor_body') return [body];
  const found: Node[] = [];
  walkTree(body, true, (node) => {
    if (functionNodes.test(node.type)) return undefined;
    const value = node.type === 'return_statement' ? node.namedChild(0) : null;
    if (value && value.type !== 'comment' && value.type !== 'none') found.push(value);
    return true;
  });
  return found;
}
