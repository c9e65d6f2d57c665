import type { ParseResult } from 'oxc-parser';
import { dialectOf, parseJavascript } from '../../engines/javascript-tree.ts';
import { CodeSyntaxError, TooComplexError } from '../../errors.ts';
import { TextPositions } from '../../text-positions.ts';
import { lineOf, type QueriedTrees } from './queried-trees.ts';
import type { FileImports, ImportReference } from '../resolution.ts';

export interface JavascriptText {
  readonly path: string;
  readonly text: string;
  readonly language: 'javascript' | 'typescript';
}

/** Imports, re-exports, `import()` with a literal and `require()` with a literal. */
export async function readJavascriptImports(
  trees: QueriedTrees,
  file: JavascriptText,
): Promise<FileImports> {
  const source = { ...file, dialect: dialectOf(file.path, file.language) };
  const parsed = await parseJavascript(source, trees.trees).catch((error: unknown) => {
    if (error instanceof TooComplexError || error instanceof CodeSyntaxError) return undefined;
    throw error;
  });
  // tree-sitter also finds imports in what oxc cannot be given.
  const references = parsed
    ? readFromEstree(file.text, parsed)
    : await readWithTreeSitter(trees, file);
  return { references };
}

function readFromEstree(text: string, parsed: ParseResult): ImportReference[] {
  const positions = new TextPositions(text);
  const { module } = parsed;
  const found: ImportReference[] = [];
  const add = (specifier: string | undefined, offset: number, isType = false): void => {
    if (specifier === undefined) return;
    found.push({ specifier, line: positions.line(offset), ...(isType ? { kind: 'type' } : {}) });
  };
  for (const { moduleRequest, entries } of module.staticImports) {
    const isType = entries.length > 0 && entries.every((entry) => entry.isType);
    add(moduleRequest.value, moduleRequest.start, isType);
  }
  for (const { moduleRequest, isType } of module.staticExports.flatMap(({ entries }) => entries)) {
    if (moduleRequest) add(moduleRequest.value, moduleRequest.start, isType);
  }
  for (const { moduleRequest } of module.dynamicImports) {
    add(literalOf(text.slice(moduleRequest.start, moduleRequest.end)), moduleRequest.start);
  }
  for (const { 2: specifier, index } of text.matchAll(requireCall)) {
    const isComment = parsed.comments.some(({ start, end }) => start <= index && index < end);
    if (!isComment) add(specifier, index);
  }
  return unique(found);
}

/** `'x'`, `"x"` or a template without holes. */
function literalOf(source: string): string | undefined {
  const match = /^(['"`])([^'"`\\]*)\1$/.exec(source.trim());
  return match && !(match[1] === '`' && match[2]?.includes('${')) ? match[2] : undefined;
}

const requireCall = /\brequire\s*\(\s*(['"])([^'"`\\\n]*)\1\s*\)/g;

const pattern = `
  (import_statement source: (string (string_fragment) @source))
  (export_statement source: (string (string_fragment) @source))
  (call_expression function: (import) arguments: (arguments . (string (string_fragment) @source)))
  (call_expression function: (identifier) @called arguments: (arguments . (string (string_fragment) @required)))
`;

async function readWithTreeSitter(
  trees: QueriedTrees,
  file: JavascriptText,
): Promise<ImportReference[]> {
  const typed = file.path.endsWith('.tsx') ? 'tsx' : 'typescript';
  const grammar = file.language === 'javascript' ? 'javascript' : typed;
  return trees.query({ grammar, pattern, text: file.text }, (captures) => {
    let called = '';
    const found: ImportReference[] = [];
    for (const { name, node } of captures) {
      if (name === 'called') called = node.text;
      else if (name === 'source' || called === 'require') {
        found.push({ specifier: node.text, line: lineOf(node) });
      }
    }
    return unique(found);
  });
}

function unique(references: readonly ImportReference[]): ImportReference[] {
  const seen = new Map(
    references.toReversed().map((found) => [`${found.specifier}\n${found.line}`, found]),
  );
  return [...seen.values()].sort((a, b) => a.line - b.line);
}
