import type { FileImports, ImportReference } from '../import-reference.ts';
import { lineOf, type Capture, type QueriedTrees } from './queried-trees.ts';

const pattern = `
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
export async function readRustImports(trees: QueriedTrees, text: string): Promise<FileImports> {
  const references = await trees.query({ grammar: 'rust', pattern, text }, (captures) => {
    const inline = inlineModules(captures);
    return withoutParts(captures).flatMap((capture) => readCapture(capture, inline));
  });
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
export function expandUse(text: string): string[] {
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
