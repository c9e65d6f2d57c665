import { posix } from 'node:path';
import { z } from 'zod';
import { parseLenientJson } from '../../../kernel/index.ts';
import { splitDeclarations } from '../split/split-code.ts';
import { splitLong } from '../split/split-long.ts';
import type { Document, Passage } from '../library.ts';
import type { PackageFiles } from './package-files.ts';

const manifestSchema = z.object({
  types: z.string().optional().catch(undefined),
  typings: z.string().optional().catch(undefined),
  main: z.string().optional().catch(undefined),
  module: z.string().optional().catch(undefined),
  exports: z.unknown(),
});

type Manifest = z.output<typeof manifestSchema>;

/** Those for modules before those for CommonJS. */
const endings = ['.d.ts', '.d.mts', '.d.cts'];

const typesWeight = 0.8;
/** What only another entry than the main one leads to: older interfaces, parts for special uses. */
const sideWeight = 0.65;
const jsdocWeight = 0.8;
const maxTypeFiles = 250;
const maxScripts = 30;
const maxExportNodes = 2_000;

/** The declaration files a program that imports the package sees; without any, its commented scripts. */
export async function npmDocuments(
  files: PackageFiles,
  paths: readonly string[],
): Promise<Document[]> {
  const text = (await files.read('package.json'))?.text ?? '';
  const manifest = manifestSchema.safeParse(parseLenientJson(text)).data ?? { exports: undefined };
  const known = new Set(paths);
  const main = await reachable(files, known, mainTypes(manifest, known));
  const side = await reachable(files, known, exportedTypes(manifest.exports));
  const types = [...main, ...[...side].filter((path) => !main.has(path))].slice(0, maxTypeFiles);
  if (types.length === 0) return scripts(manifest, paths);
  return types.map((file) => ({
    file,
    kind: 'types',
    weight: main.has(file) ? typesWeight : sideWeight,
    split: splitDeclarations,
  }));
}

function mainTypes(manifest: Manifest, known: ReadonlySet<string>): string[] {
  const { exports } = manifest;
  const isTable = typeof exports === 'object' && exports !== null && '.' in exports;
  const named = [manifest.types, manifest.typings].filter((path) => path !== undefined);
  const listed = [...named.map(localPath), ...exportedTypes(isTable ? exports['.'] : exports)];
  const guessed = [manifest.module, manifest.main, 'index.js']
    .filter((path) => path !== undefined)
    .flatMap((path) => declarationsFor(localPath(path)));
  const exact = listed.flatMap((path) => [path, `${path}.d.ts`, `${path}/index.d.ts`]);
  const found = exact.filter((path) => known.has(path) && isDeclaration(path));
  return found.length > 0 ? found : guessed.filter((path) => known.has(path)).slice(0, 1);
}

/** Every declaration file an `exports` value names, however deep its conditions are. */
function exportedTypes(exports: unknown): string[] {
  const found = new Set<string>();
  const waiting: unknown[] = [exports];
  for (let seen = 0; seen < maxExportNodes && waiting.length > 0; seen += 1) {
    const value = waiting.pop();
    if (typeof value === 'string') {
      if (isDeclaration(value)) found.add(localPath(value));
    } else if (typeof value === 'object' && value !== null) {
      waiting.push(...Object.values(value).slice(0, maxExportNodes).reverse());
    }
  }
  return [...found];
}

/** The given files and what they import from the package, one of each pair that differs in its ending only. */
async function reachable(
  files: PackageFiles,
  known: ReadonlySet<string>,
  entries: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>();
  const stems = new Set<string>();
  const waiting = [...entries];
  for (let next = 0; next < waiting.length && found.size < maxTypeFiles; next += 1) {
    const stem = (waiting[next] ?? '').replace(/\.d\.[mc]?ts$/, '');
    const path = endings.map((ending) => stem + ending).find((one) => known.has(one));
    if (path === undefined || stems.has(stem)) continue;
    stems.add(stem);
    found.add(path);
    const file = await files.read(path);
    for (const specifier of importedPaths(file?.text ?? '')) {
      const target = posix.join(posix.dirname(path), specifier);
      waiting.push(...declarationsFor(target));
    }
  }
  return found;
}

function importedPaths(text: string): string[] {
  const found = text.matchAll(/\b(?:from|import|require)\s?\(?\s?["'](\.[^"'\n]{0,300})["']/g);
  const referenced = text.matchAll(/^\/\/\/ ?<reference path="([^"\n]{1,300})"/gm);
  return [...found, ...referenced].map((match) => match[1] ?? '');
}

function declarationsFor(path: string): string[] {
  if (isDeclaration(path)) return [path];
  const ending = /\.([mc]?)[jt]s$/.exec(path);
  if (ending) return [path.replace(/\.[mc]?[jt]s$/, `.d.${ending[1]}ts`)];
  return [`${path}.d.ts`, `${path}/index.d.ts`, `${path}.d.mts`];
}

function isDeclaration(path: string): boolean {
  return /\.d\.[mc]?ts$/.test(path) && !path.includes('*');
}

function localPath(path: string): string {
  return posix.normalize(path).replace(/^\/+/, '');
}

function scripts(manifest: Manifest, paths: readonly string[]): Document[] {
  const main = localPath(manifest.main ?? 'index.js');
  const own = paths.filter((path) => /\.[mc]?js$/.test(path) && !/\.min\.|\bdist\b/.test(path));
  const ordered = [
    ...paths.filter((path) => path === main),
    ...own.filter((path) => path !== main),
  ];
  return ordered.slice(0, maxScripts).map((file) => ({
    file,
    kind: 'docstring',
    weight: jsdocWeight,
    split: splitJsdoc,
  }));
}

const maxSignatureChars = 300;

/** The comments `/** … *\/` of a JavaScript file, each with the line it stands above. */
export function splitJsdoc(text: string): Passage[] {
  const passages: Passage[] = [];
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf('/**'); at >= 0; at = text.indexOf('/**', at + 3)) {
    const end = text.indexOf('*/', at);
    if (end < 0) break;
    for (; counted < at; counted += 1) if (text[counted] === '\n') line += 1;
    const comment = text.slice(at, end + 2);
    const rest = text.slice(end + 2, end + 2 + maxSignatureChars);
    const signature = rest.split('\n').find((one) => one.trim() !== '') ?? '';
    const name = /([\w$.]+)\s*(?:=(?!=)|\()/.exec(signature.slice(0, 120))?.[1];
    at = end;
    if (name === undefined || comment.includes('@private') || comment.includes('@license'))
      continue;
    const lines = `${comment}\n${signature.trim()}`.split('\n');
    passages.push(...splitLong({ heading: name, line, lines }));
  }
  return passages;
}
