import { describe, expect, it } from 'vitest';
import type { CatalogueEntry } from '../../../contract/catalogue/index.ts';
import { silentLog } from '../../../kernel/index.ts';
import { anEntry, someEntries } from '../../../../testkit/toolbox/admin/a-catalogue.ts';
import { plainQuery } from './tool-text.ts';
import { splitWords } from '../../search/word-index.ts';
import { ToolSearch, type Embedder, type Patience } from './tool-search.ts';

const { signal } = new AbortController();
const patient: Patience = { toolsMs: 60_000, queryMs: 60_000 };

/** Texts are close when they begin with the same letter; remembers what it was given. */
function anEmbedder(): Embedder & { given: string[] } {
  const given: string[] = [];
  return {
    given,
    embed: async (texts) => {
      given.push(...texts);
      return texts.map((text) => {
        const vector = new Float32Array(128);
        vector[(text.toLowerCase().codePointAt(0) ?? 0) % 128] = 1;
        return vector;
      });
    },
  };
}

async function namesFor(search: ToolSearch, query: string, patience = patient): Promise<string[]> {
  const { tools } = await search.find({ query, count: 5, signal, patience });
  return tools.map(({ entry }) => entry.name);
}

describe('a search without a model', () => {
  const search = new ToolSearch({ entries: async () => someEntries, log: silentLog });

  it('finds by words of the name, the description, the examples, and by what means the same', async () => {
    expect((await namesFor(search, 'reading texts'))[0]).toBe('files.read_text');
    expect((await namesFor(search, 'write my boss'))[0]).toBe('mail.send_message');
    expect((await namesFor(search, 'erase this folder'))[0]).toBe('files.remove_directory');
  });

  it.each(['files.read_text', 'files__read_text', 'read_text'])(
    'puts %s first by its name',
    async (name) => {
      const { tools } = await search.find({ query: name, count: 1, signal });
      expect(tools[0]?.score).toBe(1);
      expect(tools[0]?.reason()).toBe('its name is the query');
      expect(tools[0]?.entry.name).toBe('files.read_text');
    },
  );

  it.each(['', '???', 'the of and', 'xyzzy', 'a'.repeat(100_000)])(
    'finds nothing for %.10s',
    async (query) => {
      expect(await namesFor(search, query)).toEqual([]);
    },
  );
});

describe('a search with a model', () => {
  it('answers by words at once while the tools are being embedded, and by meaning afterwards', async () => {
    const held = Promise.withResolvers<void>();
    const inner = anEmbedder();
    const tools: Embedder = {
      embed: async (texts, aborted) => {
        await held.promise;
        return inner.embed(texts, aborted);
      },
    };
    const queries = anEmbedder();
    const search = new ToolSearch({
      entries: async () => someEntries,
      tools,
      queries,
      log: silentLog,
    });
    const query = 'many strange words about reading';
    const impatient = { toolsMs: 0, queryMs: 60_000 };
    const before = await search.find({ query, count: 5, signal, patience: impatient });
    expect(before).toMatchObject({ rankedBy: 'words' });
    expect(before.tools[0]?.entry.name).toBe('files.read_text');
    held.resolve();
    const after = await search.find({ query, count: 5, signal, patience: patient });
    expect(after.rankedBy).toBe('words and meaning');
    expect(after.tools.map(({ entry }) => entry.name)).toContain('mail.send_message');
    search.close();
  });

  it('does not ask the model when words say enough, and embeds a query once', async () => {
    const queries = anEmbedder();
    const tools = anEmbedder();
    const search = new ToolSearch({
      entries: async () => someEntries,
      tools,
      queries,
      log: silentLog,
    });
    await namesFor(search, 'remove directory');
    expect(queries.given).toEqual([]);
    await namesFor(search, 'mystery');
    await namesFor(search, 'mystery');
    expect(queries.given).toEqual(['mystery']);
  });

  it('embeds only what changed when the catalogue does', async () => {
    let entries: readonly CatalogueEntry[] = someEntries;
    const tools = anEmbedder();
    const search = new ToolSearch({
      entries: async () => entries,
      tools,
      queries: anEmbedder(),
      log: silentLog,
    });
    await namesFor(search, 'mystery');
    const atFirst = tools.given.length;
    entries = [
      ...someEntries.slice(1).map((entry) => structuredClone(entry)),
      anEntry('zoo.zebra', 'Counts zebras.'),
    ];
    expect(await namesFor(search, 'zzz')).toEqual(['zoo.zebra']);
    expect(tools.given.slice(atFirst)).toEqual(['zoo zebra: Counts zebras.']);
    expect(await namesFor(search, 'text files reader')).not.toContain('files.read_text');
  });

  it('falls back to words when the model fails, and passes a cancellation on', async () => {
    const broken: Embedder = { embed: () => Promise.reject(new Error('no model')) };
    const entries = async () => someEntries;
    const withoutTools = new ToolSearch({
      entries,
      tools: broken,
      queries: broken,
      log: silentLog,
    });
    const query = 'mysterious reading of unknown things';
    expect((await namesFor(withoutTools, query))[0]).toBe('files.read_text');
    const withoutQueries = new ToolSearch({
      entries,
      tools: anEmbedder(),
      queries: broken,
      log: silentLog,
    });
    expect((await namesFor(withoutQueries, query))[0]).toBe('files.read_text');
    const aborted = AbortSignal.abort(new Error('enough'));
    await expect(withoutQueries.find({ query, count: 1, signal: aborted })).rejects.toThrow(
      'enough',
    );
  });

  it('leaves it to words when there are too many tools to embed', async () => {
    const tools = anEmbedder();
    const many = Array.from({ length: 5_001 }, (_, at) => anEntry(`a.tool_${at}`, 'Does things.'));
    const search = new ToolSearch({
      entries: async () => many,
      tools,
      queries: anEmbedder(),
      log: silentLog,
    });
    expect(await namesFor(search, 'mystery of things')).toHaveLength(5);
    expect(tools.given).toEqual([]);
  });

  it('embeds new tools behind once it is in use', async () => {
    let entries: readonly CatalogueEntry[] = [];
    const tools = anEmbedder();
    const search = new ToolSearch({
      entries: async () => entries,
      tools,
      queries: anEmbedder(),
      log: silentLog,
    });
    search.refresh();
    entries = someEntries;
    await namesFor(search, 'mystery');
    entries = [...someEntries, anEntry('zoo.zebra', 'Counts zebras.')];
    search.refresh();
    await expect.poll(() => tools.given.at(-1)).toBe('zoo zebra: Counts zebras.');
  });
});

it.each([
  ['look at shots/login.png', 'look at image file'],
  ['what does config/app.yaml say?', 'what does file say?'],
  ['ls src/lib', 'ls folder'],
  ['review main.py', 'review code file'],
  ['SELECT a FROM b', 'SQL query: SELECT a FROM b'],
  ['select a nice present', 'select a nice present'],
  ['version 2.5 of x', 'version 2.5 of x'],
])('reads "%s" as "%s"', (query, plain) => {
  expect(plainQuery(query)).toBe(plain);
});

it('brings forms of a word together', () => {
  for (const forms of [
    'compress compresses compressed compressing',
    'file files',
    'stop stopping stopped stops',
    'entity entities',
  ]) {
    expect(new Set(splitWords(forms)).size, forms).toBe(1);
  }
  expect(splitWords('readTextFile get-env HTTP_server')).toEqual(
    splitWords('read text file get env http server'),
  );
});
