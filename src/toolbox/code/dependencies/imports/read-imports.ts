import type { Node } from 'web-tree-sitter';
import { lineOf, type QueriedTrees, type Capture } from './queried-trees.ts';
import type { FileImports, ImportReference } from '../resolution.ts';
import type { Language } from '../../language.ts';

interface ImportingText {
  readonly path: string;
  readonly text: string;
  readonly language: Language;
}

type Reader = (trees: QueriedTrees, file: ImportingText) => Promise<FileImports>;

const readers: Readonly<Record<Language, Reader>> = {
  python: readPythonImports,
  javascript: readModuleImports,
  typescript: readModuleImports,
  java: readJavaImports,
  go: readGoImports,
  rust: readRustImports,
  css: async (_, { text }) => (await import('./web-imports.ts')).readCssImports(text),
  html: async (_, { text }) => (await import('./web-imports.ts')).readHtmlImports(text),
  sql: async () => ({ references: [] }),
};

/** The imports of a file, by the reader of its language; heavy parsers are loaded when first needed. */
export function readImports(trees: QueriedTrees, file: ImportingText): Promise<FileImports> {
  return readers[file.language](trees, file);
}

async function readModuleImports(trees: QueriedTrees, file: ImportingText): Promise<FileImports> {
  const { readJavascriptImports } = await import('./javascript-imports.ts');
  const language = file.language === 'javascript' ? 'javascript' : 'typescript';
  return readJavascriptImports(trees, { ...file, language });
}

const goPattern = '(import_spec path: (_) @path)';

/** The quoted paths of import declarations. */
async function readGoImports(trees: QueriedTrees, { text }: ImportingText): Promise<FileImports> {
  const references = await trees.query({ grammar: 'go', pattern: goPattern, text }, (captures) =>
    captures.map(({ node }) => ({ specifier: node.text.slice(1, -1), line: lineOf(node) })),
  );
  return { references };
}

const javaPattern = `
  (package_declaration (_) @package)
  (import_declaration) @import
  (type_identifier) @type
  (method_invocation object: (identifier) @type)
  (field_access object: (identifier) @type)
`;

/** Imports, the package, and the names of types used: those of the same package need no import. */
async function readJavaImports(trees: QueriedTrees, { text }: ImportingText): Promise<FileImports> {
  return trees.query({ grammar: 'java', pattern: javaPattern, text }, (captures) => {
    const references: ImportReference[] = [];
    const typeNames = new Map<string, number>();
    let packageName = '';
    for (const { name, node } of captures) {
      const line = lineOf(node);
      if (name === 'package') packageName = node.text.replaceAll(/\s/g, '');
      else if (name === 'import') references.push({ specifier: importedName(node.text), line });
      else if (!typeNames.has(node.text)) typeNames.set(node.text, line);
    }
    return { references, packageName, typeNames };
  });
}

/** `import static a.B.c;` → `a.B.c`. */
function importedName(statement: string): string {
  return statement
    .replace(/^import\s+(static\s+)?/, '')
    .replace(/;$/, '')
    .replaceAll(/\s/g, '');
}

const pythonPattern = `
  (import_statement) @import
  (import_from_statement) @from
  (if_statement condition: (_) @condition consequence: (block) @block)
`;

/** `import a.b`, `from .a import b`; wherever they stand, also inside functions. */
async function readPythonImports(
  trees: QueriedTrees,
  { text }: ImportingText,
): Promise<FileImports> {
  const references = await trees.query(
    { grammar: 'python', pattern: pythonPattern, text },
    (captures) => {
      const typing = typeCheckingBlocks(captures);
      return captures.flatMap(({ name, node }): ImportReference[] => {
        if (name !== 'import' && name !== 'from') return [];
        const isType = typing.some(
          ({ start, end }) => start <= node.startIndex && node.endIndex <= end,
        );
        const found = name === 'from' ? [readFrom(node)] : readImport(node);
        return isType ? found.map((reference) => ({ ...reference, kind: 'type' })) : found;
      });
    },
  );
  return { references };
}

/** What stands under `if TYPE_CHECKING:` is never executed. */
function typeCheckingBlocks(captures: readonly Capture[]): { start: number; end: number }[] {
  let condition = '';
  return captures.flatMap(({ name, node }) => {
    if (name === 'condition') condition = node.text;
    const isTyping = name === 'block' && /^(?:[\w.]*\.)?TYPE_CHECKING$/.test(condition);
    return isTyping ? [{ start: node.startIndex, end: node.endIndex }] : [];
  });
}

function readImport(node: Node): ImportReference[] {
  return namesOf(node).map((specifier) => ({ specifier, line: lineOf(node) }));
}

function readFrom(node: Node): ImportReference {
  const specifier = (node.childForFieldName('module_name')?.text ?? '').replaceAll(/\s/g, '');
  return { specifier, names: namesOf(node), line: lineOf(node) };
}

function namesOf(node: Node): string[] {
  return node.childrenForFieldName('name').flatMap((child) => {
    const name = child?.type === 'aliased_import' ? child.childForFieldName('name') : child;
    return name ? [name.text.replaceAll(/\s/g, '')] : [];
  });
}

const rustPattern = `
  (use_declaration argument: (_) @use)
  (extern_crate_declaration name: (_) @extern)
  (mod_item) @mod
  (scoped_identifier) @path
  (scoped_type_identifier) @path
`;

/**
 * `use`, `extern crate`, `mod x;` and paths such as `crate::a::f()`. Inside an inline `mod t { … }`
 * a path is made relative to the file: there, `super` is the file's own module.
 */
async function readRustImports(trees: QueriedTrees, { text }: ImportingText): Promise<FileImports> {
  const references = await trees.query(
    { grammar: 'rust', pattern: rustPattern, text },
    (captures) => {
      const inline = inlineModules(captures);
      return withoutParts(captures).flatMap((capture) => readCapture(capture, inline));
    },
  );
  return { references };
}

/** A path contains its own beginnings as nodes: only the whole counts, and none inside a `use`. */
function withoutParts(captures: readonly Capture[]): Capture[] {
  let coveredUntil = 0;
  return captures.filter(({ name, node }) => {
    if (name === 'mod') return true;
    const isPart = node.startIndex < coveredUntil;
    coveredUntil = Math.max(coveredUntil, node.endIndex);
    return !isPart;
  });
}

interface InlineModule {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

function inlineModules(captures: readonly Capture[]): InlineModule[] {
  return captures.flatMap(({ name, node }) =>
    name === 'mod' && node.childForFieldName('body')
      ? [
          {
            name: node.childForFieldName('name')?.text ?? '',
            start: node.startIndex,
            end: node.endIndex,
          },
        ]
      : [],
  );
}

function readCapture({ name, node }: Capture, inline: readonly InlineModule[]): ImportReference[] {
  const line = lineOf(node);
  const around = inline
    .filter(({ start, end }) => start < node.startIndex && node.endIndex < end)
    .map((module) => module.name);
  if (name === 'mod') {
    if (node.childForFieldName('body')) return [];
    const path = [...around, node.childForFieldName('name')?.text ?? ''];
    return [{ specifier: `self::${path.join('::')}`, line, kind: 'declaration' }];
  }
  if (name === 'extern') return [{ specifier: `::${node.text}`, line }];
  const text = node.text.replaceAll(/\s+/g, ' ');
  if (name === 'path' && !/^(crate|self|super)\b/.test(text)) return [];
  return expandUse(text).map((path) => ({ specifier: relativeToFile(path, around), line }));
}

/** Replaces leading `self` and `super` that stay inside the inline modules of the file. */
function relativeToFile(path: string, around: readonly string[]): string {
  if (around.length === 0 || !/^(self|super)\b/.test(path)) return path;
  const segments = path.split('::');
  const base = [...around];
  while (segments[0] === 'super' && base.length > 0) {
    segments.shift();
    base.pop();
  }
  if (segments[0] === 'self') segments.shift();
  return segments[0] === 'super' ? segments.join('::') : ['self', ...base, ...segments].join('::');
}

const maxPaths = 1_000;

/** `a::{b, c::{self, d as e}, *}` → `a::b`, `a::c`, `a::c::d`, `a`. */
function expandUse(text: string): string[] {
  const paths: string[] = [];
  const prefixes: string[] = [''];
  let current = '';
  const finish = (): void => {
    const own = current.replace(/ as .*$/, '').replaceAll(' ', '');
    current = '';
    if (own === '') return;
    const joined = (prefixes.at(-1) ?? '') + own;
    paths.push(joined.replace(/(::)?\*$/, '').replace(/(.)::self$/, '$1'));
  };
  for (const character of text) {
    if (paths.length > maxPaths) break;
    if (character === '{') {
      prefixes.push((prefixes.at(-1) ?? '') + current.replaceAll(' ', ''));
      current = '';
    } else if (character === ',' || character === '}') {
      finish();
      if (character === '}' && prefixes.length > 1) prefixes.pop();
    } else current += character;
  }
  finish();
  return paths.filter((path) => path !== '');
}
