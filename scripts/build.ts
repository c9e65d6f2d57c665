/**
 * Builds `dist/`: a few bundles instead of hundreds of modules, because loading modules one by one is
 * most of what starting costs (docs/adr/0005). Types are checked elsewhere (`npm run types`).
 */
import { cp, glob, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { rolldown, type OutputChunk, type Plugin } from 'rolldown';
import { isolatedDeclaration } from 'rolldown/experimental';
import { z } from 'zod';
import { lexicon } from '../src/agent/planner/lexicon.ts';
import { featuresOf } from '../src/agent/planner/read-words.ts';
import { examplePhrases } from '../src/toolbox/phrases/index.ts';

/** Programs of their own; their paths below `dist/` are those below `src/`. */
const entries = ['cli/start', 'toolbox/code/code-worker', 'models/embed-worker', 'client/connect'];

/** What `tutti/client` declares; these import types of one another only. */
const declared = ['client/connect', 'client/operations'];

/** Small libraries that every start needs. Engines stay outside: they load when a tool needs them. */
const bundled = [
  'zod',
  'commander',
  'yaml',
  'smol-toml',
  'tinyglobby',
  'fdir',
  'picomatch',
  // With a copy of zod of their own, asking a model for the first time takes half as long again.
  '@ai-sdk',
  '@workflow',
  'eventsource-parser',
  // Eighteen and six modules, which a cold `tutti ask` loads.
  'diff',
  'jsonc-parser',
];

/** What only tests read. */
const testFolders = /[\\/]testdata(?:[\\/]|$)/;
const assetEndings = [
  '.md',
  '.json',
  '.yaml',
  '.sh',
  '.py',
  '.mjs',
  '.cjs',
  '.java',
  '.go',
  '.sql',
];

/**
 * Importing a module of Node as an ES module makes Node compute all its exports: for `node:process` the list of all flags, for `node:http`
 * a second HTTP client, for `node:crypto` a second interface. These give the same objects and leave unused ones alone. Without them a
 * cold `tutti ask` takes 274 ms of CPU instead of 239 ms (+15 %), and the first `tools/list` of a new data directory 295 ms instead of 261 ms.
 */
const leanModules: Readonly<Record<string, string>> = {
  'node:process': 'export default globalThis.process;',
  'node:http': "module.exports = process.getBuiltinModule('node:http');",
  'node:crypto': "module.exports = process.getBuiltinModule('node:crypto');",
  'node:fs': "module.exports = process.getBuiltinModule('node:fs');",
};
const useLeanModules: Plugin = {
  name: 'lean-modules',
  resolveId: (id) => (id in leanModules ? `\0${id}` : null),
  load: (id) => leanModules[id.slice(1)] ?? null,
};

/** Replaces the `Headers` of the AI SDK; `plain-headers.ts` has the measurement that justifies it. */
const leanHeaders: Plugin = {
  name: 'lean-headers',
  transform: {
    filter: { id: /@ai-sdk[\\/]provider-utils[\\/]dist[\\/]index\.js$/ },
    // On the first line, so that the map of the lines still fits.
    handler: (code) => ({
      code: `import { PlainHeaders as Headers } from '${plainHeaders}';${code}`,
      map: null,
    }),
  },
};
const plainHeaders = resolve('src/models/providers/plain-headers.ts').replaceAll('\\', '/');

/**
 * The planner learns from texts that are known here: their features are computed once instead of at the first request of every process,
 * as numbers in a list of names. Without it a cold `tutti ask` takes 1.25 s of CPU instead of 0.85 s.
 */
const knownFeatures: Plugin = {
  name: 'known-features',
  transform: {
    filter: { id: /[\\/]agent[\\/]planner[\\/]read-words\.ts$/ },
    handler: async (code) => {
      const [head, exported] = ['export function featuresOf(', 'function readFeatures('];
      if (!code.includes(head)) throw new Error('featuresOf was not found in read-words.ts');
      const { elsewhere, phrases } = lexicon;
      const texts = [...elsewhere.values(), phrases, examplePhrases, await toolTexts()];
      const read = [...new Set(texts.flatMap(textsIn))].map(
        (text) => [text, featuresOf(text)] as const,
      );
      const names = [...new Set(read.flatMap(([, features]) => features))];
      const numbers = new Map(names.map((name, number) => [name, number]));
      const rows = read.map(([text, some]) => [text, some.map((name) => numbers.get(name))]);
      // A text to parse costs less than as large a literal.
      const known = `const { names, rows } = JSON.parse(${JSON.stringify(JSON.stringify({ names, rows }))});
const known = new Map<unknown, number[]>(rows);
export const featuresOf: typeof readFeatures = (said) =>
  known.get(said)?.map((number) => names[number]) ?? readFeatures(said);`;
      return { code: `${code.replace(head, exported)}\n${known}`, map: null };
    },
  },
};

/** Names, titles and examples of our tools, as the planner reads them. */
async function toolTexts(): Promise<unknown> {
  const examples = z.array(z.string()).default([]);
  const texts = z.record(z.string(), z.object({ name: z.string(), title: z.string(), examples }));
  const read: Promise<z.output<typeof texts>>[] = [];
  for await (const file of glob('src/toolbox/*/tools.json')) {
    read.push(readFile(file, 'utf8').then((text) => texts.parse(JSON.parse(text))));
  }
  const tools = (await Promise.all(read)).flatMap((one) => Object.values(one));
  return tools.map(({ name, ...tool }) => [tool.title, tool.examples, name.replaceAll('_', ' ')]);
}

function textsIn(data: unknown): readonly string[] {
  return typeof data === 'string' ? [data] : Object.values(data ?? {}).flatMap(textsIn);
}

/**
 * What is loaded together is one file: a file costs more than most of the code in it. A module goes to the group of the highest
 * priority that names it or needs it. The first two are loaded by every command, so they take no schema.
 */
const groups = [
  {
    name: 'common',
    priority: 5,
    test: /[\\/]src[\\/](?:kernel|contract[\\/](?:caller|tool))[\\/][^\\/]+\.ts$|^\0node:/,
  },
  {
    name: 'cli',
    priority: 4,
    test: /[\\/]src[\\/]cli[\\/](?:main|invocation|ask-line|read-input)\.ts$/,
  },
  { name: 'zod', priority: 3, test: /[\\/]node_modules[\\/]zod[\\/]/ },
  { name: 'system', priority: 2, test: /[\\/]src[\\/]compose[\\/]index\.ts$/ },
  {
    name: 'message',
    priority: 1,
    test: /[\\/]src[\\/]cli[\\/]commands[\\/](?:ask\.ts$|chat[\\/](?:attachments\.ts$|turn[\\/]))/,
  },
];

await rm('dist', { recursive: true, force: true });
const bundle = await rolldown({
  input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
  platform: 'node',
  // Its main file requires the others in a way that no bundler sees.
  resolve: { alias: { 'jsonc-parser': resolve('node_modules/jsonc-parser/lib/esm/main.js') } },
  plugins: [useLeanModules, leanHeaders, knownFeatures],
  // Its modules have no side effects: an importer of one must not load what the others import.
  treeshake: { moduleSideEffects: [{ test: /[\\/]src[\\/]kernel[\\/]/, sideEffects: false }] },
  external: (id) =>
    isPackage(id) && !bundled.some((name) => id === name || id.startsWith(`${name}/`)),
});
const { output } = await bundle.write({
  dir: 'dist',
  format: 'esm',
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  codeSplitting: { groups },
});
await bundle.close();
checkLoads(output.filter((part) => part.type === 'chunk'));
await cp('src', 'dist', {
  recursive: true,
  filter: (path) =>
    !testFolders.test(path) &&
    (!/\.[a-z]+$/.test(path) || assetEndings.some((ending) => path.endsWith(ending))),
});

for (const name of declared) await writeDeclarations(name);

function isPackage(id: string): boolean {
  return !/^[./\0]/.test(id) && !/^[A-Za-z]:/.test(id) && !(id in leanModules);
}

async function writeDeclarations(name: string): Promise<void> {
  const file = `src/${name}.ts`;
  const { code, errors } = await isolatedDeclaration(file, await readFile(file, 'utf8'), {});
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join()}`);
  await writeFile(`dist/${name}.d.ts`, code.replaceAll(/(from "\.\/\w+)\.ts"/g, '$1.js"'));
}

/** Fails the build when a changed import would make every start load far more. */
function checkLoads(chunks: readonly OutputChunk[]): void {
  const loadedBy = (chunk: OutputChunk, seen = new Set<string>()): ReadonlySet<string> => {
    seen.add(chunk.name);
    for (const other of chunks) {
      if (chunk.imports.includes(other.fileName) && !seen.has(other.name)) loadedBy(other, seen);
    }
    return seen;
  };
  for (const chunk of chunks) {
    const isProvider = chunk.moduleIds.some((id) => id.includes('@ai-sdk'));
    if (isProvider && chunk.code.includes('new Headers(')) {
      throw new Error(`${chunk.fileName} would load the platform's HTTP client; see lean-headers`);
    }
    const isForAll = ['common', 'cli', 'message'].includes(chunk.name);
    const loaded = loadedBy(chunk);
    if (((isForAll || chunk.isEntry) && loaded.has('system')) || (isForAll && loaded.has('zod'))) {
      throw new Error(`${chunk.fileName} would load far more than it needs: ${[...loaded].join()}`);
    }
  }
}
