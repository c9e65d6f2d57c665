import { expect, it } from 'vitest';
import type { CatalogueEntry } from '../contract/catalogue/index.ts';
import { localCaller } from '../contract/caller/index.ts';
import type { CallContext } from '../contract/server/index.ts';
import type { ToolResult } from '../contract/tool/index.ts';
import { findContext7In } from './find-context7.ts';

function anEntry(server: string, tool: string): CatalogueEntry {
  const wireName = `${server}__${tool}`;
  return { name: `${server}.${tool}`, wireName, server, tool: { name: tool, inputSchema: {} } };
}

function aCatalogue(entries: readonly CatalogueEntry[], result: ToolResult) {
  const calls: { name: string; args: unknown; context: CallContext }[] = [];
  return {
    calls,
    entries: async () => entries,
    callTool: async (name: string, args: unknown, context: CallContext) => {
      calls.push({ name, args, context });
      return result;
    },
  };
}

const context: CallContext = {
  caller: localCaller,
  signal: new AbortController().signal,
  progress: () => {},
  meta: {},
  extra: { task: {} },
};

const result: ToolResult = {
  content: [{ type: 'text', text: 'one' }, { type: 'image' }, { type: 'text', text: 'two' }],
};

it('finds the server that offers both tools, whatever its name, and asks it by its wire names', async () => {
  const catalogue = aCatalogue(
    [
      anEntry('half', 'query-docs'),
      anEntry('c7', 'query-docs'),
      anEntry('c7', 'resolve-library-id'),
    ],
    result,
  );
  const found = await findContext7In(() => catalogue)();
  const context7 = found.kind === 'found' ? found.context7 : undefined;
  expect(await context7?.resolve({ name: 'zod', query: 'topic' }, context)).toEqual({
    text: 'one\n\ntwo',
    isError: false,
  });
  await context7?.query({ library: '/colinhacks/zod', query: 'topic' }, context);
  expect(catalogue.calls.map(({ name, args }) => [name, args])).toEqual([
    ['c7__resolve-library-id', { libraryName: 'zod', query: 'topic' }],
    ['c7__query-docs', { libraryId: '/colinhacks/zod', query: 'topic' }],
  ]);
  expect(catalogue.calls[0]?.context).not.toHaveProperty('extra');
});

it('finds none where no server offers both, and says of which servers nothing is known yet', async () => {
  const catalogue = aCatalogue(
    [anEntry('a', 'query-docs'), anEntry('b', 'resolve-library-id')],
    result,
  );
  expect(await findContext7In(() => catalogue)()).toEqual({ kind: 'none', unlisted: [] });
  const starting = { ...catalogue, unlisted: () => ['c7'] };
  expect(await findContext7In(() => starting)()).toEqual({ kind: 'none', unlisted: ['c7'] });
});
