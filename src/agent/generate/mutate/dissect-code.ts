import type { Node } from 'web-tree-sitter';
import {
  type Grammar,
  isScript,
  type ParsedLanguage,
  readLanguage,
  readProgram,
} from '../language.ts';
import { applyEdits, type SyntaxParser, type TextEdit, withTree } from '../syntax-tree.ts';
import { findFunctions, type FunctionSite } from './find-functions.ts';
import { addProbes, type Branch } from './add-probes.ts';
import { findMutants, type Mutant } from './find-mutants.ts';

/** Code and its variants: mutants, a version that fails, one that returns nothing, one that reports its branches. */
export interface DissectedCode {
  readonly language: ParsedLanguage;
  readonly text: string;
  /** Without `main`, where programs start. */
  readonly functions: readonly {
    readonly name: string;
    readonly bodyStart: number;
    readonly bodyEnd: number;
    /** The type of its result, where that is written down. */
    readonly returns: string;
  }[];
  readonly hasEntry: boolean;
  readonly mutants: readonly Mutant[];
  /** Programs that may have been meant instead. */
  readonly alternatives: readonly Mutant[];
  /** Functions that mutants call, appended to the code. */
  readonly helpers: string;
  /** All functions fail when they are called. */
  readonly broken: string;
  /** All functions return nothing; null where that does not compile. */
  readonly silent: string | null;
  /** An equivalent program that prints the branches that were run. */
  readonly probed: string;
  readonly probeEdits: readonly TextEdit[];
  readonly branches: readonly Branch[];
}

/** Functions beyond this are not mutated or probed. */
export const maxFunctions = 60;

/** `sign` starts the line in which the probed program prints its branches. */
export function dissectCode(
  parser: SyntaxParser,
  source: { readonly language: ParsedLanguage; readonly text: string },
  sign: string,
): Promise<DissectedCode> {
  const { language, text } = source;
  const { grammar } = readLanguage(language);
  return withTree(parser, source, (root) => {
    const sites = findFunctions(root, grammar);
    const tested = sites.filter(({ isEntry }) => !isEntry).slice(0, maxFunctions);
    const changes = tested.flatMap((site) => findMutants(site, grammar));
    const isAlternative = ({ kind }: Mutant): boolean => kind === 'alternative';
    const { edits, branches } = addProbes(tested, { language, grammar });
    return {
      ...source,
      functions: tested.map(({ name, body, returns }) => ({
        name,
        returns,
        bodyStart: body.startIndex,
        bodyEnd: body.endIndex,
      })),
      hasEntry: sites.some(({ isEntry }) => isEntry),
      mutants: changes.filter((one) => !isAlternative(one)),
      alternatives: [...returnArguments(tested, grammar), ...changes.filter(isAlternative)],
      helpers: helpersFor(language),
      broken: applyEdits(
        text,
        tested.map((site) => failingBody(site, grammar)),
      ).replaceAll(recordMark, `$1${brokenRecord}`),
      silent: silence(text, tested, grammar),
      probed: probe(source, { root, edits, sign }),
      probeEdits: edits,
      branches,
    };
  });
}

/** Every function returns its first argument: a round trip through such functions changes nothing. */
function returnArguments(sites: readonly FunctionSite[], { isDynamic, fail }: Grammar): Mutant[] {
  const edits = sites.flatMap(({ name, body }): TextEdit[] => {
    const given = body.parent?.childForFieldName('parameters')?.namedChild(0)?.text ?? '';
    const first = /^[A-Za-z_$][\w$]*/.exec(given)?.[0];
    if (!isDynamic || first === undefined || name.includes('.')) return [];
    const isBlock = body.type.endsWith('block');
    const statement = fail.text.startsWith('{') ? `{ return ${first}; }` : `return ${first}`;
    return [{ start: body.startIndex, end: body.endIndex, text: isBlock ? statement : first }];
  });
  const description = 'every function returned its first argument';
  return edits.length === 0
    ? []
    : [{ kind: 'alternative', function: '', description, branch: -1, edits }];
}

export function mutantText({ text, helpers }: DissectedCode, { edits }: Mutant): string {
  return applyEdits(text, edits) + helpers;
}

function failingBody({ body }: FunctionSite, { fail }: Grammar): TextEdit {
  const text = body.type.endsWith('block') ? fail.text : (fail.expression ?? fail.text);
  if (fail.replacesBody) return { start: body.startIndex, end: body.endIndex, text };
  // After the opening brace.
  return { start: body.startIndex + 1, end: body.startIndex + 1, text: fail.text };
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
  // A test that a class is abstract calls no function: it notices when the class is not.
  return applyEdits(text, edits).replaceAll(abstractMark, '$1@(lambda one: one)');
}

/** A test of a record calls no function: it notices when the class keeps nothing. Making one still works: tests may do so as they load. */
const brokenRecord = '@(lambda one: setattr(one, "__init__", lambda *_, **__: None) or one)';
const recordMark = /^([ \t]*)@(?:dataclasses\.)?dataclass(?:\([^\n]*\))?$/gm;
const abstractMark = /^([ \t]*)@(?:abc\.)?abstractmethod$/gm;

interface Probing {
  readonly root: Node;
  readonly edits: readonly TextEdit[];
  readonly sign: string;
}

function helpersFor(language: ParsedLanguage): string {
  if (language === 'python') return `\n${readProgram('python/changed_result.py')}`;
  return isScript(language) ? `\n${readProgram('javascript/changed-result.mjs')}` : '';
}

function probe(
  { text, language }: { readonly text: string; readonly language: ParsedLanguage },
  { root, edits, sign }: Probing,
): string {
  switch (language) {
    case 'python': {
      const first = root.namedChildren.find((node) => !isPreamble(node));
      const at = first?.startIndex ?? text.length;
      const program = readProgram('python/branch_probe.py').replace('SIGN', sign);
      const definition = { start: at, end: at, text: `${program}\n` };
      const end = text.includes('__eq__') ? `\n${readProgram('python/equality_probe.py')}` : '';
      return `${applyEdits(text, [definition, ...edits])}${end}`;
    }
    case 'javascript':
    case 'typescript': {
      const program = readProgram('javascript/branch-probe.mjs').replace('SIGN', sign);
      return `// In other words.\n${applyEdits(text, edits)}\n${program}`;
    }
    case 'go':
      return applyEdits(text, edits);
    case 'java':
    case 'rust':
      return `// In other words.\n\n${text}`;
  }
}

/** Whether a node has to stay at the top of a Python module. */
function isPreamble(node: Node): boolean {
  if (
    /^(?:comment|import_statement|import_from_statement|future_import_statement)$/.test(node.type)
  ) {
    return true;
  }
  return node.type === 'expression_statement' && node.namedChild(0)?.type === 'string';
}
