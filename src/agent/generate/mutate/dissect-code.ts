import type { Node } from 'web-tree-sitter';
import { withTree, type ParsedLanguage, type SyntaxParser } from '../syntax-parser.ts';
import { changeResult } from './change-result.ts';
import { findFunctions, type FunctionSite } from './find-functions.ts';
import { breakFunction, failingBody, findMutations, type Mutation } from './find-mutations.ts';
import { grammars, type Grammar } from './grammar.ts';
import { applyEdits, type TextEdit } from './text-edit.ts';
import { walkTree } from './tree-walk.ts';
import { pythonEqualityProbe } from './value-changers.ts';

export interface DissectedFunction {
  readonly name: string;
  readonly firstBodyLine: number;
  readonly lastLine: number;
  /** Changes of what it computes. */
  readonly changes: readonly Mutation[];
  /** It fails when it is called. */
  readonly broken: Mutation;
}

/** Code and what can be made of it to see what its tests notice. */
export interface DissectedCode {
  readonly language: ParsedLanguage;
  readonly text: string;
  /** Without `main`, where programs start. */
  readonly functions: readonly DissectedFunction[];
  readonly hasEntry: boolean;
  /** All functions fail when they are called. */
  readonly broken: string;
  /** All functions return nothing; null where that does not compile. */
  readonly silent: string | null;
  /** Another text that does the same. */
  readonly rewritten: string;
}

/** More functions than this are not looked at one by one. */
export const maxFunctions = 60;

export function dissectCode(
  parser: SyntaxParser,
  source: { readonly language: ParsedLanguage; readonly text: string },
): Promise<DissectedCode> {
  const grammar = grammars[source.language];
  return withTree(parser, source, (root) => {
    const sites = findFunctions(root, grammar);
    const tested = sites.filter(({ isEntry }) => !isEntry).slice(0, maxFunctions);
    return {
      ...source,
      functions: tested.map((site) => dissectFunction(site, grammar, source.text.length)),
      hasEntry: sites.some(({ isEntry }) => isEntry),
      broken: applyEdits(
        source.text,
        tested.map((site) => failingBody(site, grammar)),
      ),
      silent: silence(source.text, tested, grammar),
      rewritten: rewrite(source, root),
    };
  });
}

function dissectFunction(
  site: FunctionSite,
  grammar: Grammar,
  endOfText: number,
): DissectedFunction {
  const { name, firstBodyLine, lastLine } = site;
  return {
    name,
    firstBodyLine,
    lastLine,
    changes: [...changeResult(site, grammar, endOfText), ...findMutations(site, grammar)],
    broken: breakFunction(site, grammar),
  };
}

function silence(text: string, sites: readonly FunctionSite[], grammar: Grammar): string | null {
  if (grammar.nothing === null) return null;
  const nothing = grammar.nothing;
  const statement = `return ${nothing}`;
  const body = grammar.fail.text.startsWith('{') ? `{ ${statement}; }` : statement;
  const edits = sites.map(({ body: { startIndex, endIndex, type } }) => {
    const isValue = grammar.fail.expression !== undefined && !type.endsWith('block');
    return { start: startIndex, end: endIndex, text: isValue ? nothing : body };
  });
  return applyEdits(text, edits);
}

const commentStarts: Readonly<Record<ParsedLanguage, string>> = {
  python: '#',
  javascript: '//',
  typescript: '//',
  java: '//',
  go: '//',
  rust: '//',
};

/** Brackets around what stands right of an operator, and a comment on top: other text, same program. */
function rewrite(
  { text, language }: { readonly text: string; readonly language: ParsedLanguage },
  root: Node,
): string {
  const edits: TextEdit[] = [];
  walkTree(root, true, (node) => {
    const right = node.childForFieldName('right');
    if (binaryNodes.has(node.type) && right && isPlainOperand(right)) {
      edits.push({ start: right.startIndex, end: right.endIndex, text: `(${right.text})` });
    }
    return true;
  });
  const end = language === 'python' && text.includes('__eq__') ? pythonEqualityProbe : '';
  return `${commentStarts[language]} The same program in other words.\n\n${applyEdits(text, edits)}${end}`;
}

const binaryNodes: ReadonlySet<string> = new Set(['binary_operator', 'binary_expression']);

/** `x instanceof Name`, and types in general, take no brackets. */
function isPlainOperand(node: Node): boolean {
  return /^(?:identifier|integer|float|number|int_literal|float_literal|integer_literal|float_literal|decimal_integer_literal|call|call_expression|subscript|subscript_expression|attribute|member_expression|selector_expression|string)$/.test(
    node.type,
  );
}
