import type { Node } from 'web-tree-sitter';
import { withTree, type ParsedLanguage, type SyntaxParser } from '../syntax-parser.ts';
import { addProbes, probeDefinition, type Branch } from './add-probes.ts';
import { findFunctions, type FunctionSite } from './find-functions.ts';
import { findMutants, type Mutant } from './find-mutants.ts';
import { grammars, type Grammar } from './grammar.ts';
import { applyEdits, type TextEdit } from './text-edit.ts';
import { pythonEqualityProbe } from './value-changers.ts';

/** Code and what can be made of it to see what its tests notice. */
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
  /** What the mutants call, to be put after the code. */
  readonly helpers: string;
  /** All functions fail when they are called. */
  readonly broken: string;
  /** All functions return nothing; null where that does not compile. */
  readonly silent: string | null;
  /** The same program in other words, which tells what branches were run. */
  readonly probed: string;
  readonly probeEdits: readonly TextEdit[];
  readonly branches: readonly Branch[];
}

/** More functions than this are not looked at one by one. */
export const maxFunctions = 60;

/** `sign`: what the line starts with by which the probed program tells its branches. */
export function dissectCode(
  parser: SyntaxParser,
  source: { readonly language: ParsedLanguage; readonly text: string },
  sign: string,
): Promise<DissectedCode> {
  const { language, text } = source;
  const grammar = grammars[language];
  return withTree(parser, source, (root) => {
    const sites = findFunctions(root, grammar);
    const tested = sites.filter(({ isEntry }) => !isEntry).slice(0, maxFunctions);
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
      mutants: tested.flatMap((site) => findMutants(site, grammar)),
      helpers: grammar.changer ?? '',
      broken: applyEdits(
        text,
        tested.map((site) => failingBody(site, grammar)),
      ),
      silent: silence(text, tested, grammar),
      probed: probe(source, { root, edits, sign }),
      probeEdits: edits,
      branches,
    };
  });
}

export function mutantText({ text, helpers }: DissectedCode, { edits }: Mutant): string {
  return applyEdits(text, edits) + helpers;
}

function failingBody({ body }: FunctionSite, { fail }: Grammar): TextEdit {
  const isValue = fail.expression !== undefined && !body.type.endsWith('block');
  const text = isValue ? fail.expression : fail.text;
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

const abstractMark = /^([ \t]*)@(?:abc\.)?abstractmethod$/gm;

interface Probing {
  readonly root: Node;
  readonly edits: readonly TextEdit[];
  readonly sign: string;
}

function probe(
  { text, language }: { readonly text: string; readonly language: ParsedLanguage },
  { root, edits, sign }: Probing,
): string {
  switch (language) {
    case 'python': {
      const first = root.namedChildren.find((node) => !isPreamble(node));
      const at = first?.startIndex ?? text.length;
      const definition = { start: at, end: at, text: probeDefinition(language, sign) };
      const end = text.includes('__eq__') ? pythonEqualityProbe : '';
      return `${applyEdits(text, [definition, ...edits])}${end}`;
    }
    case 'javascript':
    case 'typescript':
      return `// In other words.\n${applyEdits(text, edits)}${probeDefinition(language, sign)}`;
    case 'go':
      return applyEdits(text, edits);
    case 'java':
    case 'rust':
      return `// In other words.\n\n${text}`;
  }
}

/** What has to stand at the top of a Python module. */
function isPreamble(node: Node): boolean {
  if (
    /^(?:comment|import_statement|import_from_statement|future_import_statement)$/.test(node.type)
  ) {
    return true;
  }
  return node.type === 'expression_statement' && node.namedChild(0)?.type === 'string';
}
