import { describe, expect, it } from 'vitest';
import { aCallContext } from '../../../testkit/toolbox/call-context.ts';
import { createDocsServer } from './docs-server.ts';
import { type Context7, readLibraries, readSnippets } from './context7.ts';

const libraries = `Available Libraries:

- Title: Zod
- Context7-compatible library ID: /colinhacks/zod
- Description: TypeScript-first schema validation
- Code Snippets: 500
- Source Reputation: High
- Versions: v3.24.2, v4.6.7
----------
- Title: Zod to JSON
- Context7-compatible library ID: /stefan/zod-to-json-schema
- Description: Converts
`;

const snippets = `### Optional values

Source: https://github.com/colinhacks/zod/blob/main/README.md

Makes a schema optional.

\`\`\`ts
z.string().optional();
\`\`\`

--------------------------------

### Nullable values

Source: https://zod.dev/api

text
`;

interface Script {
  readonly resolve?: string;
  readonly query?: string;
  readonly isError?: boolean;
}

/** A Context7 that answers from a script, and remembers what it was asked. */
function aContext7({ resolve = libraries, query = snippets, isError = false }: Script = {}) {
  const asked: unknown[] = [];
  const server: Context7 = {
    resolve: async (request) => {
      asked.push(request);
      return { text: resolve, isError };
    },
    query: async (request) => {
      asked.push(request);
      return { text: query, isError };
    },
  };
  return { server, asked };
}

function aServer(
  context7: Context7 | undefined,
  parts: { now?: () => number; limitMs?: number; unlisted?: readonly string[] } = {},
) {
  return createDocsServer({
    version: '1.0.0',
    roots: [process.cwd()],
    findContext7: async () =>
      context7 ? { kind: 'found', context7 } : { kind: 'none', unlisted: parts.unlisted ?? [] },
    clock: { now: parts.now ?? (() => 0) },
    ...(parts.limitMs !== undefined && { context7LimitMs: parts.limitMs }),
  });
}

async function call(server: ReturnType<typeof aServer>, tool: string, args: object) {
  const result = await server.callTool(tool, args, aCallContext());
  return result.structuredContent as Record<string, unknown> & { passages: readonly object[] };
}

const question = { library: 'npm:zod@4.6.7', topic: 'optional values' };

describe('Context7 first', () => {
  it('gives its snippets, of the installed version where it has that', async () => {
    const { server, asked } = aContext7();
    const answer = await call(aServer(server), 'get_docs', question);
    expect(answer).toMatchObject({
      engine: 'context7',
      reason: 'Context7 answered',
      library: '/colinhacks/zod/v4.6.7',
    });
    expect(answer.passages[0]).toMatchObject({
      heading: 'Optional values',
      version: 'v4.6.7',
      line: null,
      source: 'https://github.com/colinhacks/zod/blob/main/README.md',
    });
    expect(asked).toEqual([
      { name: 'zod', query: 'optional values' },
      { library: '/colinhacks/zod/v4.6.7', query: 'optional values' },
    ]);
  });

  it('takes its own ids as they are', async () => {
    const { server, asked } = aContext7();
    const args = { library: '/colinhacks/zod', topic: 'x' };
    expect(await call(aServer(server), 'get_docs', args)).toMatchObject({
      engine: 'context7',
      passages: [{ version: null }, { version: null }],
    });
    expect(asked).toEqual([{ library: '/colinhacks/zod', query: 'x' }]);
  });

  it('lists what it offers beside what is installed', async () => {
    const answer = await call(aServer(aContext7().server), 'resolve_library', { name: 'zod' });
    expect(answer).toMatchObject({ engine: 'context7' });
    expect(answer['candidates']).toMatchObject([
      { library: 'npm:zod@4.6.7' },
      { library: '/colinhacks/zod', ecosystem: 'context7', version: null },
      { library: 'npm:zod-to-json-schema@3.25.2' },
      { library: '/stefan/zod-to-json-schema' },
    ]);
  });
});

describe('without Context7', () => {
  const failures: Readonly<Record<string, Script>> = {
    'a network failure told as a result': {
      resolve: 'Error searching libraries: TypeError: fetch failed',
    },
    'a failure of the second call': {
      query: 'Error fetching library context. Please try again later. TypeError: fetch failed',
    },
    'a used-up quota': { resolve: 'Rate limited or quota exceeded.' },
    'a result with isError': { resolve: 'No documentation', isError: true },
  };

  it.each(Object.entries(failures))(
    'answers from the installed package after %s',
    async (_name, script) => {
      const answer = await call(aServer(aContext7(script).server), 'get_docs', question);
      expect(answer['engine']).toBe('offline');
      expect(answer['reason']).toBe(`Context7 answered "${script.query ?? script.resolve}"`);
      expect(answer.passages.length).toBeGreaterThan(0);
    },
  );

  it('tells a library it does not know from a failure', async () => {
    const none = { resolve: 'No documentation libraries found matching your query.' };
    const answer = await call(aServer(aContext7(none).server), 'get_docs', question);
    expect(answer['reason']).toBe('Context7 has no library that is surely "zod"');
    const other = {
      resolve: libraries
        .replaceAll('colinhacks/zod', 'other/thing')
        .replace('Title: Zod\n', 'Title: Thing\n'),
    };
    const similar = await call(aServer(aContext7(other).server), 'get_docs', question);
    expect(similar).toMatchObject({ engine: 'offline', library: 'npm:zod@4.6.7' });
    const empty = { query: 'Documentation not found or not finalized for this library.' };
    const nothing = await call(aServer(aContext7(empty).server), 'get_docs', question);
    expect(nothing['reason']).toBe('Context7 has nothing about it in /colinhacks/zod/v4.6.7');
  });

  it('leaves it alone for a minute after a failure, then asks again', async () => {
    let now = 0;
    const { server, asked } = aContext7({
      resolve: 'Error searching libraries: TypeError: fetch failed',
    });
    const docs = aServer(server, { now: () => now });
    await call(docs, 'get_docs', question);
    now = 20_000;
    const second = await call(docs, 'get_docs', question);
    expect(second['reason']).toContain('it is asked again in 40 s');
    expect(asked.length).toBe(1);
    now = 61_000;
    await call(docs, 'get_docs', question);
    expect(asked.length).toBe(2);
  });

  it('does not wait for one that never answers', async () => {
    const silent: Context7 = {
      resolve: () => new Promise(() => {}),
      query: () => new Promise(() => {}),
    };
    const answer = await call(aServer(silent, { limitMs: 20 }), 'get_docs', question);
    expect(answer['reason']).toBe(
      'Context7 could not be asked: Context7 did not finish within 20 ms',
    );
    expect(answer.passages.length).toBeGreaterThan(0);
  });

  it('names the servers that may turn out to be it', async () => {
    const answer = await call(
      aServer(undefined, { unlisted: ['c7', 'notes'] }),
      'get_docs',
      question,
    );
    expect(answer['reason']).toBe(
      'no server of the fleet offers Context7; not listed so far: "c7", "notes"',
    );
  });

  it('looks for the installed package that a Context7 id is mostly called like', async () => {
    const answer = await call(aServer(undefined), 'get_docs', {
      library: '/colinhacks/zod',
      topic: 'parse',
    });
    expect(answer).toMatchObject({ engine: 'offline', library: 'npm:zod@4.6.7' });
  });

  it('passes a cancellation on', async () => {
    const cancel = new AbortController();
    const server: Context7 = {
      resolve: async () => {
        cancel.abort(new Error('cancelled'));
        throw new Error('ended');
      },
      query: async () => ({ text: '', isError: false }),
    };
    const context = aCallContext({ signal: cancel.signal });
    await expect(aServer(server).callTool('get_docs', question, context)).rejects.toThrow(
      'cancelled',
    );
  });
});

describe('reading what Context7 writes', () => {
  it('finds no library and no snippet in a sentence', () => {
    expect(readLibraries('Error searching libraries: TypeError: fetch failed')).toEqual([]);
    expect(readLibraries('- Context7-compatible library ID: not an id')).toEqual([]);
    expect(readSnippets('Invalid API key. Please check your API key.')).toEqual([]);
    expect(readSnippets('')).toEqual([]);
  });

  it('takes code without a heading for a snippet', () => {
    expect(readSnippets('```js\nx\n```')).toMatchObject([{ heading: '', source: '' }]);
  });
});
