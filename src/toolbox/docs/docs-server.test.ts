import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { aCallContext } from '../../../testkit/toolbox/call-context.ts';
import { createDocsServer, type DocsServerOptions } from './docs-server.ts';
import questions from '../../../testkit/toolbox/docs/questions.json' with { type: 'json' };
import {
  aTemporaryProject,
  type TemporaryProject,
} from '../../../testkit/toolbox/docs/temporary-project.ts';
import { docsLimits } from './library.ts';

let project: TemporaryProject | undefined;
afterEach(() => project?.remove());

function aServer(options: Partial<DocsServerOptions> = {}) {
  return createDocsServer({
    version: '1.0.0',
    roots: [project?.folder ?? process.cwd()],
    findContext7: async () => ({ kind: 'none', unlisted: [] }),
    ...options,
  });
}

type Fields = Record<string, unknown>;
interface Answer extends Fields {
  readonly passages: readonly Fields[];
  readonly note?: string;
}

async function getDocs(server: ReturnType<typeof aServer>, args: Fields): Promise<Answer> {
  const result = await server.callTool('get_docs', args, aCallContext());
  expect(result.isError, JSON.stringify(result.content)).toBeUndefined();
  return result.structuredContent as Answer;
}

async function resolve(server: ReturnType<typeof aServer>, args: Fields): Promise<Fields> {
  const result = await server.callTool('resolve_library', args, aCallContext());
  return result.structuredContent as Fields;
}

const npmPackage = (name: string, files: Record<string, string | Buffer>) =>
  Object.fromEntries(
    Object.entries({ 'package.json': '{"version":"1.0.0","types":"./index.d.ts"}', ...files }).map(
      ([path, text]) => [`node_modules/${name}/${path}`, text],
    ),
  );

describe('get_docs over installed packages', () => {
  it('gives passages of README, declarations and changelog with version and source', async () => {
    project = aTemporaryProject(
      npmPackage('paint', {
        'README.md':
          '# Paint\n\n## Colours\n\nMix colours with `mix`.\n\n## Brushes\n\nUse a brush.\n',
        'index.d.ts': "export * from './mix.js';\n",
        'mix.d.ts':
          '/** Mixes two colours. */\nexport declare function mix(a: string, b: string): string;\n',
        'CHANGELOG.md': '# 1.0.0\n\nmix of colours is faster\n',
        'docs/guide.md': '# Guide\n\nHow to mix colours without a brush.\n',
        'unrelated.js': '/** mix colours */ function no() {}',
      }),
    );
    const answer = await getDocs(aServer(), { library: 'npm:paint@1.0.0', topic: 'mix colours' });
    expect(answer).toMatchObject({
      library: 'npm:paint@1.0.0',
      engine: 'offline',
      reason: 'no server of the fleet offers Context7',
    });
    expect(answer.passages.map(({ kind }) => String(kind)).sort()).toEqual([
      'changelog',
      'doc',
      'readme',
      'types',
    ]);
    expect(answer.passages).toContainEqual({
      text: '/** Mixes two colours. */\nexport declare function mix(a: string, b: string): string;',
      heading: 'mix',
      file: 'mix.d.ts',
      line: 1,
      kind: 'types',
      library: 'npm:paint@1.0.0',
      version: '1.0.0',
      source: 'node_modules/paint/mix.d.ts:1',
    });
  });

  it('reads Python distributions: description, docstrings and stubs', async () => {
    const site = '.venv/lib/python3.12/site-packages';
    project = aTemporaryProject({
      [`${site}/httpy-2.0.dist-info/METADATA`]:
        'Metadata-Version: 2.1\nName: httpy\nVersion: 2.0\n\nhttpy\n=====\n\nRetries\n-------\n\nSet retries on a client.\n',
      [`${site}/httpy/__init__.py`]: '"""A client for the web."""\n',
      [`${site}/httpy/client.py`]:
        'class Client:\n    """Sends requests."""\n    def retry(self, times):\n        """Repeats a request."""\n',
      [`${site}/httpy/_inner.py`]: 'def helper():\n    """Retries inside."""\n',
      [`${site}/httpy/stub.pyi`]: 'def retry_all(times: int) -> None: ...\n',
    });
    const answer = await getDocs(aServer(), { library: 'httpy', topic: 'retry a request' });
    const found = answer.passages.map(({ heading, kind, file, line }) => [
      heading,
      kind,
      file,
      line,
    ]);
    expect(found[0]).toEqual(['httpy.client.Client.retry', 'docstring', 'httpy/client.py', 3]);
    expect(found).toContainEqual(['httpy > Retries', 'readme', 'httpy-2.0.dist-info/METADATA', 8]);
    expect(found).toContainEqual(['httpy.stub.retry_all', 'types', 'httpy/stub.pyi', 1]);
  });

  it('reads Go modules: README and the comments of what they export', async () => {
    project = aTemporaryProject({
      'go.mod': 'module app\n\nrequire github.com/gorilla/mux v1.8.0\n',
      'vendor/github.com/gorilla/mux/README.md':
        '# mux\n\n## Matching routes\n\nRoutes match by path.\n',
      'vendor/github.com/gorilla/mux/mux.go':
        'package mux\n\n// Match tells whether a route matches.\nfunc (r *Route) Match(path string) bool {\n',
      'vendor/github.com/gorilla/mux/mux_test.go':
        'package mux\n\n// Match route test\nfunc Matching() {\n',
    });
    const answer = await getDocs(aServer(), {
      library: 'go:github.com/gorilla/mux',
      topic: 'match a route',
    });
    expect(answer.library).toBe('go:github.com/gorilla/mux@v1.8.0');
    expect(answer.passages.map(({ source }) => String(source)).sort()).toEqual([
      'vendor/github.com/gorilla/mux/README.md:3',
      'vendor/github.com/gorilla/mux/mux.go:3',
    ]);
  });

  it('reads the comments of scripts where there are no declarations', async () => {
    project = aTemporaryProject(
      npmPackage('plain', {
        'index.js': '/**\n * Rounds a number.\n */\nexports.round = function () {};\n',
      }),
    );
    const answer = await getDocs(aServer(), { library: 'plain', topic: 'round' });
    expect(answer.passages).toMatchObject([
      { heading: 'exports.round', kind: 'docstring', line: 1 },
    ]);
  });

  it('says so when nothing is known, of the library or of the topic, and invents nothing', async () => {
    project = aTemporaryProject(npmPackage('paint', { 'README.md': '# Paint\n\nMix colours.\n' }));
    const server = aServer();
    const noLibrary = await getDocs(server, { library: 'npm:piant', topic: 'mix' });
    expect(noLibrary).toMatchObject({
      passages: [],
      note: '"piant" is not installed in the project, so nothing is known about it.',
      did_you_mean: ['paint'],
    });
    const noTopic = await getDocs(server, { library: 'paint', topic: 'kubernetes ingress' });
    expect(noTopic).toMatchObject({
      passages: [],
      note: 'Nothing about "kubernetes ingress" is in the 1 passages of npm:paint@1.0.0.',
    });
    const empty = await getDocs(server, { library: 'paint', topic: 'the of and' });
    expect(empty.passages).toEqual([]);
  });

  it('says which version it has when another was asked for', async () => {
    project = aTemporaryProject(npmPackage('paint', { 'README.md': '# Paint\n\nMix colours.\n' }));
    const answer = await getDocs(aServer(), { library: 'npm:paint@0.9.0', topic: 'colours' });
    expect(answer.note).toBe(
      'npm:paint@0.9.0 is not installed; this is npm:paint@1.0.0, which is.',
    );
    expect(answer.passages).toMatchObject([{ version: '1.0.0' }]);
  });

  it('keeps to the length that was asked for, and shortens the best passage rather than leave it out', async () => {
    const section = (name: string): string => `## ${name}\n\n${'colour words here\n'.repeat(60)}`;
    project = aTemporaryProject(
      npmPackage('paint', { 'README.md': ['One', 'Two', 'Three'].map(section).join('\n') }),
    );
    const server = aServer();
    const long = await getDocs(server, { library: 'paint', topic: 'colour', max_tokens: 20_000 });
    expect(long.passages.length).toBe(3);
    const short = await getDocs(server, { library: 'paint', topic: 'colour', max_tokens: 50 });
    expect(short.passages.length).toBe(1);
    expect(String(short.passages[0]?.['text'])).toMatch(/\n…$/);
    expect(String(short.passages[0]?.['text']).length).toBeLessThanOrEqual(202);
  });

  it('notices that a package was installed anew', async () => {
    project = aTemporaryProject(npmPackage('paint', { 'README.md': '# Paint\n\nMix colours.\n' }));
    const server = aServer();
    expect((await getDocs(server, { library: 'paint', topic: 'shadow' })).passages).toEqual([]);
    project.write(
      npmPackage('paint', {
        'README.md': '# Paint\n\nMix colours.\n\n# Shadow\n\nDraw a shadow.\n',
      }),
    );
    expect((await getDocs(server, { library: 'paint', topic: 'shadow' })).passages.length).toBe(1);
  });

  it('tells what it left out of packages beyond the limits', async () => {
    const pages = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `docs/page-${index}.md`,
        `# Page ${index}\n\ncolour\n`,
      ]),
    );
    project = aTemporaryProject(
      npmPackage('paint', {
        ...pages,
        'README.md': `# Paint\n\ncolour\n${'filler\n'.repeat(2_000)}`,
      }),
    );
    const limits = { ...docsLimits, maxFiles: 10, maxFileBytes: 4_000 };
    const answer = await getDocs(aServer({ limits }), { library: 'paint', topic: 'colour' });
    expect(answer.note).toContain('10 of its 31 documents were read');
    expect(answer.note).toContain('Of README.md only the first 4000 bytes were read');
    const seen = { ...docsLimits, maxEntriesSeen: 10 };
    const cut = await getDocs(aServer({ limits: seen }), { library: 'paint', topic: 'colour' });
    expect(cut.note).toContain('more than 10 files');
  });

  it('shows no file that a link inside a package leads to', async () => {
    project = aTemporaryProject({
      'secret.md': '# Secret\n\ncolour of the key\n',
      ...npmPackage('paint', { 'index.js': '' }),
      'node_modules/paint/README.md': { link: '../../secret.md' },
    });
    const answer = await getDocs(aServer(), { library: 'paint', topic: 'colour key' });
    expect(answer).toMatchObject({
      passages: [],
      note: 'npm:paint@1.0.0 has no documentation that could be read.',
    });
  });
});

describe('resolve_library', () => {
  it('finds an installed package by its name, by a part of it, and in one ecosystem', async () => {
    project = aTemporaryProject({
      'package.json': '{"dependencies":{"react-dom":"1"}}',
      ...npmPackage('react', { 'package.json': '{"version":"19.1.0","description":"Views"}' }),
      ...npmPackage('react-dom', {}),
      ...npmPackage('@types/react', {}),
      '.venv/lib/python3.12/site-packages/react-0.1.dist-info/METADATA': 'Summary: Other\n\n',
    });
    const answer = await resolve(aServer(), { name: 'react' });
    expect(answer['candidates']).toMatchObject([
      { library: 'npm:react@19.1.0', score: 0.95, summary: 'Views', source: 'node_modules/react' },
      { library: 'pypi:react@0.1', ecosystem: 'pypi', version: '0.1', summary: 'Other' },
      { library: 'npm:@types/react@1.0.0', score: 0.8 },
      { library: 'npm:react-dom@1.0.0', score: 0.65 },
    ]);
    const python = await resolve(aServer(), { name: 'React', ecosystem: 'pypi' });
    expect(python['candidates']).toMatchObject([{ library: 'pypi:react@0.1' }]);
  });

  it('suggests near names, and says why a package may not be read', async () => {
    project = aTemporaryProject({
      'elsewhere/package.json': '{}',
      'project/node_modules/linked': { link: '../../elsewhere' },
      'project/node_modules/commander/package.json': '{}',
    });
    const server = aServer({ roots: [join(project.folder, 'project')] });
    expect(await resolve(server, { name: 'comander' })).toMatchObject({
      candidates: [],
      did_you_mean: ['commander'],
      note: expect.stringContaining('No library "comander" is installed'),
    });
    expect(await resolve(server, { name: 'linked' })).toMatchObject({
      candidates: [],
      note: expect.stringContaining('outside the allowed roots'),
    });
    const docs = await getDocs(server, { library: 'linked', topic: 'x' });
    expect(docs.note).toContain('outside the allowed roots');
  });

  it('declares both tools as read-only, with schemas and examples', async () => {
    const tools = await aServer().listTools();
    expect(tools.map(({ name }) => name)).toEqual(['resolve_library', 'get_docs']);
    for (const tool of tools) {
      expect(tool).toMatchObject({
        annotations: { readOnlyHint: true, idempotentHint: true },
        outputSchema: { type: 'object' },
      });
    }
  });
});

describe('the ranking', () => {
  /** Not found: their answers use other words (`disable`, `variadic`), or other passages hold more of theirs. */
  const missed = new Set([
    'option that takes several values',
    'how do I parse optional values',
    'convert a schema to JSON schema',
    'turn formatting off for a part of the query',
    'walk the syntax tree with a visitor',
  ]);

  it.each(questions.filter(({ topic }) => !missed.has(topic)))(
    'answers "$topic" about $library within the first three passages',
    async ({ library, topic, file, holds }) => {
      project = undefined;
      const answer = await getDocs(theServer, {
        library: `npm:${library}`,
        topic,
        max_tokens: 20_000,
      });
      const right = answer.passages
        .slice(0, 3)
        .filter((one) => one['file'] === file && String(one['text']).includes(holds));
      expect(
        right.length,
        JSON.stringify(answer.passages.slice(0, 3).map((one) => one['source'])),
      ).toBeGreaterThan(0);
    },
  );
});

const theServer = aServer();
