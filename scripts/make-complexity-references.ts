/**
 * Writes the reference numbers that `test/proof/complexity.test.ts` compares with.
 *
 *   node scripts/make-complexity-references.ts
 *
 * It installs ESLint, SonarJS and typescript-eslint (versions below) into a temporary folder, where
 * they stay apart from what Tutti ships, and runs
 *   - ESLint's rule `complexity` (classic variant) and SonarJS's `cognitive-complexity`, both with
 *     the threshold 0, over sources that npm packages of our own lock file contain;
 *   - Debian's `radon cc -j` and `radon mi -s -j` over Debian's Python standard library.
 * Written are numbers with the name and line of each function and the hash of each file: never a
 * source. A file whose hash differs is left out by the test.
 *
 * `--corpus NAME=FOLDER` measures another folder instead and prints its numbers; with `--tools
 * FOLDER` tools that are installed already are used.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const toolVersions = {
  eslint: '10.14.0',
  'eslint-plugin-sonarjs': '4.2.2',
  typescript: '5.9.3',
  'typescript-eslint': '8.72.2',
};

const root = join(import.meta.dirname, '..');
const modules = join(root, 'node_modules');

/** Sources that stand in `node_modules` after `npm ci`. */
const corpora = {
  javascript: ['eslint/lib', 'stylelint/lib', 'commander/lib', 'yaml/dist'],
  typescript: ['zod/src'],
};

const pythonLibrary = '/usr/lib/python3.11';

/** Tables and texts: radon takes minutes for each, and there is no control flow in them. */
const pythonLeftOut = /^(pydoc_data|encodings|lib2to3)\/|\/tests?\//;
const maxPythonBytes = 60_000;

/** [name, line, cyclomatic, cognitive]; no cognitive number for initialisers and for Python. */
type FunctionReference = [name: string, line: number, cyclomatic: number, cognitive: number | null];

interface FileReference {
  readonly sha256: string;
  /** In source order, an outer function before those inside it. */
  readonly functions: readonly FunctionReference[];
  readonly maintainabilityIndex?: number;
}

interface Reference {
  readonly madeWith: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, FileReference>>;
}

const { values } = parseArgs({
  options: { corpus: { type: 'string' }, tools: { type: 'string' } },
});
const tools = values.tools ?? installTools();

if (values.corpus === undefined) {
  write('javascript', measureFolders(corpora.javascript, /\.(js|mjs|cjs)$/));
  write('typescript', measureFolders(corpora.typescript, /(?<!\.d|\.test)\.(ts|mts)$/));
  write('python', measurePython());
} else {
  const [name = '', folder = ''] = values.corpus.split('=');
  const reference = measureFiles(name, folder, /(?<!\.d|\.test)\.(jsx?|mjs|cjs|tsx?|mts)$/);
  process.stdout.write(JSON.stringify({ folder, files: reference }));
}

function installTools(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-references-'));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const packages = Object.entries(toolVersions).map(([name, version]) => `${name}@${version}`);
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', ...packages], {
    cwd: folder,
    stdio: 'inherit',
  });
  return folder;
}

function write(language: string, reference: Reference): void {
  const lines = Object.entries(reference.files).map(
    ([path, file]) => `    ${JSON.stringify(path)}: ${JSON.stringify(file)}`,
  );
  const madeWith = JSON.stringify(reference.madeWith);
  const text = `{\n  "madeWith": ${madeWith},\n  "files": {\n${lines.join(',\n')}\n  }\n}\n`;
  writeFileSync(join(root, 'test/data/complexity', `${language}.json`), text);
}

function measureFolders(folders: readonly string[], ending: RegExp): Reference {
  const files: Record<string, FileReference> = {};
  for (const folder of folders) {
    const name = folder.split('/', folder.startsWith('@') ? 2 : 1).join('/');
    const manifest = readFileSync(join(modules, name, 'package.json'), 'utf8');
    const { version } = JSON.parse(manifest) as { version: string };
    const inside = folder.slice(name.length + 1);
    Object.assign(
      files,
      measureFiles(`${name}@${version}/${inside}`, join(modules, folder), ending),
    );
  }
  return { madeWith: toolVersions, files };
}

function listFiles(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => ending.test(path) && statSync(join(folder, path)).isFile())
    .sort();
}

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What is used of ESLint's objects. */
interface LintMessage {
  readonly ruleId: string | null;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly fatal?: boolean;
}

interface EstreeNode {
  readonly type: string;
  readonly range: [number, number];
  readonly loc: { readonly start: { readonly line: number; readonly column: number } };
  readonly parent: EstreeNode;
  readonly key?: EstreeNode;
  readonly id?: EstreeNode | null;
  readonly body?: EstreeNode;
}

interface Token {
  readonly value: string;
  readonly loc: EstreeNode['loc'];
}

interface SourceCode {
  getTokenBefore(node: EstreeNode, filter: (token: Token) => boolean): Token;
  getFirstToken(node: EstreeNode, filter?: (token: Token) => boolean): Token;
}

/** Where a function stands, and where each of the two rules reports it. */
interface Place {
  readonly start: number;
  readonly line: number;
  readonly complexityAt: string;
  readonly cognitiveAt: string | undefined;
}

function measureFiles(name: string, folder: string, ending: RegExp): Record<string, FileReference> {
  const require = createRequire(join(tools, 'package.json'));
  const { Linter } = require('eslint') as { Linter: new () => { verify: Verify } };
  const sonarjs = require('eslint-plugin-sonarjs') as object;
  const { parser } = require('typescript-eslint') as { parser: object };
  type Verify = (text: string, config: object[], options: object) => LintMessage[];
  const files: Record<string, FileReference> = {};
  for (const path of listFiles(folder, ending)) {
    const bytes = readFileSync(join(folder, path));
    const places: Place[] = [];
    const isTyped = /\.m?tsx?$/.test(path);
    const run = (sourceType: string): LintMessage[] => {
      places.length = 0;
      return new Linter().verify(
        bytes.toString('utf8'),
        [
          {
            files: ['**/*.{js,cjs,mjs,jsx,ts,mts,tsx}'],
            linterOptions: { noInlineConfig: true },
            languageOptions: {
              sourceType,
              ...(isTyped ? { parser } : {}),
              parserOptions: { ecmaFeatures: { jsx: !path.endsWith('.ts') } },
            },
            plugins: { sonarjs, places: { rules: { list: placesRule(places) } } },
            rules: {
              complexity: ['error', 0],
              'sonarjs/cognitive-complexity': ['error', 0],
              'places/list': 'error',
            },
          },
        ],
        { filename: `source/${path}` },
      );
    };
    let messages = run('module');
    if (messages.some(({ fatal }) => fatal)) messages = run('commonjs');
    if (messages.some(({ fatal }) => fatal)) continue;
    files[`${name}/${path}`] = { sha256: hash(bytes), functions: joinMessages(places, messages) };
  }
  return files;
}

function joinMessages(
  places: readonly Place[],
  messages: readonly LintMessage[],
): FunctionReference[] {
  const byPlace = (rule: string): Map<string, LintMessage[]> =>
    Map.groupBy(
      messages.filter(({ ruleId }) => ruleId === rule),
      ({ line, column }) => `${line}:${column - 1}`,
    );
  const complexity = byPlace('complexity');
  const cognitive = byPlace('sonarjs/cognitive-complexity');
  return places
    .toSorted((a, b) => a.start - b.start)
    .map(({ line, complexityAt, cognitiveAt }) => {
      const message = complexity.get(complexityAt)?.shift()?.message ?? '';
      const [, name = '', value = ''] = /^(.*) has a complexity of (\d+)/.exec(message) ?? [];
      if (cognitiveAt === undefined) return [name, line, Number(value), null];
      const found = cognitive.get(cognitiveAt)?.shift()?.message ?? '';
      const points = /from (\d+) to/.exec(found)?.[1] ?? '0';
      return [name, line, Number(value), Number(points)];
    });
}

/** An ESLint rule that reports nothing and notes where functions and initialisers are. */
function placesRule(places: Place[]): object {
  return {
    create: ({ sourceCode }: { sourceCode: SourceCode }) => {
      const note = (place: Place): void => void places.push(place);
      return {
        ':function': (node: EstreeNode) => note(placeOfFunction(node, sourceCode)),
        'PropertyDefinition > *.value': (node: EstreeNode) =>
          // Before the function that may be the value.
          note({
            start: node.range[0] - 0.5,
            line: node.loc.start.line,
            complexityAt: at(node.loc),
            cognitiveAt: undefined,
          }),
        StaticBlock: (node: EstreeNode) =>
          note({
            start: node.range[0],
            line: node.loc.start.line,
            complexityAt: at(sourceCode.getFirstToken(node).loc),
            cognitiveAt: undefined,
          }),
      };
    },
  };
}

function placeOfFunction(node: EstreeNode, sourceCode: SourceCode): Place {
  const { parent } = node;
  const [start] = node.range;
  const isMember = ['Property', 'MethodDefinition', 'PropertyDefinition'].includes(parent.type);
  const arrow =
    node.type === 'ArrowFunctionExpression' && node.body
      ? sourceCode.getTokenBefore(node.body, ({ value }) => value === '=>')
      : undefined;
  const word = arrow ?? sourceCode.getFirstToken(node, ({ value }) => value === 'function') ?? node;
  const isMethod = parent.type === 'Property' || parent.type === 'MethodDefinition';
  const key = isMember && parent.key ? parent.key : undefined;
  let named: { readonly loc: EstreeNode['loc'] } = word;
  if (!arrow && isMethod && key) named = key;
  if (node.type === 'FunctionDeclaration' && node.id) named = node.id;
  return {
    start,
    line: (key ?? node).loc.start.line,
    complexityAt: at(isMember ? parent.loc : (arrow ?? node).loc),
    cognitiveAt: at(named.loc),
  };
}

function at({ start }: EstreeNode['loc']): string {
  return `${start.line}:${start.column}`;
}

/** A block of `radon cc -j`. */
interface RadonBlock {
  readonly type: 'function' | 'method' | 'class';
  readonly name: string;
  readonly classname?: string;
  readonly lineno: number;
  readonly complexity: number;
  readonly closures?: readonly RadonBlock[];
}

function measurePython(): Reference {
  const paths = listFiles(pythonLibrary, /\.py$/).filter(
    (path) =>
      !pythonLeftOut.test(path) && statSync(join(pythonLibrary, path)).size <= maxPythonBytes,
  );
  const blocks = radon<readonly RadonBlock[]>(['cc', '-j'], paths);
  const indices = radon<{ readonly mi: number }>(['mi', '-s', '-j'], paths);
  const files: Record<string, FileReference> = {};
  for (const path of paths) {
    const found = blocks[path];
    const index = indices[path]?.mi;
    if (!Array.isArray(found) || index === undefined) continue;
    files[path] = {
      sha256: hash(readFileSync(join(pythonLibrary, path))),
      functions: listPython(found),
      maintainabilityIndex: index,
    };
  }
  const radonVersion = execFileSync('radon', ['--version'], { encoding: 'utf8' }).trim();
  const library = execFileSync('dpkg-query', ['-W', '-f', '${Version}', 'libpython3.11-stdlib']);
  return { madeWith: { radon: radonVersion, 'libpython3.11-stdlib': library.toString() }, files };
}

function radon<Result>(options: string[], paths: string[]): Record<string, Result> {
  const output = execFileSync('radon', [...options, ...paths], {
    cwd: pythonLibrary,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(output) as Record<string, Result>;
}

function listPython(blocks: readonly RadonBlock[]): FunctionReference[] {
  const functions: FunctionReference[] = [];
  const pending = blocks.map((block) => ({ block, prefix: '' }));
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { block, prefix } = next;
    if (block.type === 'class') continue;
    const owner = block.classname === undefined || prefix !== '' ? '' : `${block.classname}.`;
    const name = `${prefix}${owner}${block.name}`;
    functions.push([name, block.lineno, block.complexity, null]);
    for (const inner of block.closures ?? []) pending.push({ block: inner, prefix: `${name}.` });
  }
  return functions.sort((a, b) => a[1] - b[1]);
}
