import type { Node } from 'web-tree-sitter';
import { type ParsedLanguage } from '../language.ts';
import { conditionOf, type FunctionSite } from './find-functions.ts';
import type { Grammar } from '../language.ts';
import { type TextEdit, walkTree } from '../syntax-tree.ts';

/** A branch of the code: a function, an outcome of a condition, a case, a handler. */
export interface Branch {
  /** `3+` or `3-`: the number of the probe and the outcome. */
  readonly id: string;
  /** `grade: the condition "points >= 50" is never false, line 12`. */
  readonly description: string;
  /** Nothing but leaving when a value is missing or an error came back: often no test can get there. */
  readonly isGuard: boolean;
}

export interface Probes {
  readonly edits: readonly TextEdit[];
  readonly branches: readonly Branch[];
}

const constants = /^\(?(?:true|True|1)\)?$/;

/**
 * Inserts a call of `ran_branch__` into each branch, so that coverage does not depend on coverage pragmas. It returns its
 * argument: the program stays equivalent. None for Java and Rust.
 */
export function addProbes(
  sites: readonly FunctionSite[],
  { language, grammar }: { readonly language: ParsedLanguage; readonly grammar: Grammar },
): Probes {
  const edits: TextEdit[] = [];
  const branches: Branch[] = [];
  let count = 0;
  if (language === 'java' || language === 'rust') return { edits, branches };
  const truth = language === 'python' ? 'True' : 'true';
  const add = (outcomes: string, describe: (outcome: string) => string, site?: Node): string => {
    count += 1;
    for (const outcome of outcomes) {
      const isGuard = site !== undefined && isGuardAt(site, outcome);
      branches.push({ id: `${count}${outcome}`, description: describe(outcome), isGuard });
    }
    return `ran_branch__(${count}, `;
  };
  for (const site of sites) {
    if (isEmpty(site.body)) continue;
    const called = `${site.name}: no test calls it, line ${site.line}`;
    const isBlock = site.body.type.endsWith('block');
    const entry = add('+', () => called);
    if (isBlock) edits.push(...atStart(site.body, `${entry}${truth})`, language));
    else edits.push(...aroundValue(site.body, `${entry}${truth})`, language));
    walkTree(site.body, true, (node) => {
      const line = node.startPosition.row + 1;
      const condition = grammar.conditions.has(node.type) ? conditionOf(node) : null;
      if (condition && !constants.test(condition.text)) {
        const text = JSON.stringify(condition.text.split('\n', 1)[0]?.slice(0, 60));
        const describe = (outcome: string): string =>
          `${site.name}: the condition ${text} is never ${outcome === '+' ? 'true' : 'false'}, line ${line}`;
        const probe = add('+-', describe, node);
        // Two insertions, so that probes inside of the condition stay.
        edits.push({ start: condition.startIndex, end: condition.startIndex, text: `(${probe}` });
        edits.push({ start: condition.endIndex, end: condition.endIndex, text: '))' });
      }
      if (grammar.cases.has(node.type)) {
        const probe = add('+', () => `${site.name}: no test gets to ${label(node)}, line ${line}`);
        edits.push(...atStart(caseBody(node), `${probe}${truth})`, language));
      }
      return true;
    });
  }
  return { edits, branches };
}

/** Nothing but documentation, `pass` and `...`: it only says what others define. */
function isEmpty(body: Node): boolean {
  if (body.type !== 'block') return false;
  return body.namedChildren.every((statement) => {
    const value = statement.namedChild(0)?.type ?? '';
    const isText = statement.type === 'expression_statement' && /^(?:string|ellipsis)$/.test(value);
    return isText || /^(?:pass_statement|comment)$/.test(statement.type);
  });
}

const isMissing = /(?:===?|!==?|\bis(?: not)?) (?:undefined|null|nil|None)\)?$/;
const leaving = /^(?:return|break|continue|throw|raise)_statement$/;

/** `if err != nil { return err }`, `if (node === undefined) break;`. */
function isGuardAt(node: Node, outcome: string): boolean {
  const condition = conditionOf(node)?.text ?? '';
  if (!/^(?:if_statement|elif_clause)$/.test(node.type) || !isMissing.test(condition)) return false;
  if (/&&|\|\||\band\b|\bor\b/.test(condition)) return false;
  const taken = node.childForFieldName(outcome === '+' ? 'consequence' : 'alternative');
  if (!taken) return outcome === '-';
  const inner = taken.type.endsWith('block') ? taken.namedChildren : [taken];
  const [first, ...more] = inner
    .flatMap((one) => (one.type === 'statement_list' ? one.namedChildren : [one]))
    .filter(({ type }) => type !== 'comment');
  if (!first || more.length > 0) return false;
  return leaving.test(first.type) || first.text.startsWith('panic(');
}

function label(node: Node): string {
  return JSON.stringify(node.text.split('\n', 1)[0]?.slice(0, 60));
}

function caseBody(node: Node): Node {
  return (
    node.childForFieldName('consequence') ??
    node.childForFieldName('body') ??
    node.namedChildren.find(({ type }) => type === 'block') ??
    node.children.find(({ type }) => type === ':') ??
    node
  );
}

/** A statement before all others of a block, after the documentation of a function. */
function atStart(block: Node, probe: string, language: ParsedLanguage): TextEdit[] {
  if (language !== 'python') {
    const opening = block.children.find(({ type }) => type === '{') ?? block;
    const at = opening.type === '{' || opening.type === ':' ? opening.endIndex : block.startIndex;
    return [{ start: at, end: at, text: ` ${probe};` }];
  }
  const first = block.namedChildren.find(({ type }) => type !== 'comment');
  const isText = first?.type === 'expression_statement' && first.namedChild(0)?.type === 'string';
  const next = isText ? first.nextNamedSibling : first;
  if (!next) return [];
  const isOwnLine = next.startPosition.row > (block.parent?.startPosition.row ?? 0);
  const gap = isOwnLine ? `\n${' '.repeat(next.startPosition.column)}` : '; ';
  return [{ start: next.startIndex, end: next.startIndex, text: `${probe}${gap}` }];
}

function aroundValue(value: Node, probe: string, language: ParsedLanguage): TextEdit[] {
  const joint = language === 'python' ? ' and (' : ', (';
  return [
    { start: value.startIndex, end: value.startIndex, text: `(${probe}${joint}` },
    { start: value.endIndex, end: value.endIndex, text: '))' },
  ];
}
