import { describe, expect, it } from 'vitest';
import type { FleetControl } from '../contract/fleet/index.ts';
import { reconcileMetaKey, type Tool, type ToolAnnotations } from '../contract/tool/index.ts';
import type { ListingCache } from './catalogue/listing-cache.ts';
import type { OpenFleet } from './create-fleet.ts';
import { aFleet, aMemoryCache, anEntry, anOutside, ours } from '../../testkit/fleet/a-fleet.ts';
import { aConnection, aServer } from '../../testkit/fleet/a-server.ts';

const loose = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
const careful = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const;

function wire(parts: Partial<Tool> = {}): Tool {
  return { name: 'wire', inputSchema: { type: 'object' }, ...parts };
}

/** A fleet of one configured server that lists this. */
function serving(
  tools: readonly Tool[],
  { isTrusted = false, cache = aMemoryCache() }: { isTrusted?: boolean; cache?: ListingCache } = {},
): OpenFleet {
  // What counts while a change is not accepted; quarantine.test.ts has the default.
  const entry = anEntry('bank', { trustAnnotations: isTrusted, onToolChange: 'warn' });
  const connect = async () => aConnection('bank', { listTools: async () => tools });
  return aFleet({ outside: anOutside([entry], connect), cache });
}

async function countingHints({ catalogue }: OpenFleet): Promise<ToolAnnotations | undefined> {
  const entries = await catalogue.entries();
  return entries.find(({ tool }) => tool.name === 'wire')?.tool.annotations;
}

async function changesOf(control: FleetControl) {
  return (await control.status())[0]?.changedTools;
}

describe('what a server says about its tools', () => {
  it('counts only where it asks for more care, and is shown to clients as it is', async () => {
    for (const hint of Object.keys(loose) as (keyof typeof loose)[]) {
      const annotations = { title: 'Wire', [hint]: loose[hint] };
      const fleet = serving([wire({ annotations })]);
      expect(await countingHints(fleet)).toEqual({ title: 'Wire' });
      expect((await fleet.catalogue.listTools())[0]?.annotations).toEqual(annotations);
    }
    expect(await countingHints(serving([wire({ annotations: careful })]))).toEqual(careful);
  });

  it('counts where its entry says that it is trusted, and of our own servers', async () => {
    const tools = [wire({ annotations: loose })];
    expect(await countingHints(serving(tools, { isTrusted: true }))).toEqual(loose);
    const own = aFleet({ servers: [ours(aServer('bank', { listTools: async () => tools }))] });
    expect(await countingHints(own)).toEqual(loose);
  });

  it('does not let a stranger’s calls be repeated under their keys', async () => {
    const _meta = { [reconcileMetaKey]: { tool: 'look', repeat: true } };
    const metaOf = async (isTrusted: boolean): Promise<unknown> => {
      const [entry] = await serving([wire({ _meta })], { isTrusted }).catalogue.entries();
      return entry?.tool._meta?.[reconcileMetaKey];
    };
    expect(await metaOf(false)).toEqual({ tool: 'look', repeat: false });
    expect(await metaOf(true)).toEqual({ tool: 'look', repeat: true });
  });
});

describe('a tool that its server makes another of', () => {
  it.each<[string, Partial<Tool>, string]>([
    ['description', { description: 'Wires everything' }, 'description'],
    ['title', { title: 'Look' }, 'description'],
    ['arguments', { inputSchema: { type: 'object', required: ['to'] } }, 'input schema'],
    ['result', { outputSchema: { type: 'object' } }, 'output schema'],
    ['annotations', { annotations: careful }, 'annotations'],
  ])(
    'by its %s is told in its status, in this and the next process',
    async (_what, parts, field) => {
      const cache = aMemoryCache();
      await serving([wire()], { cache }).catalogue.entries();
      const { control } = serving([wire(parts)], { cache });
      await control.startAll(5_000);
      const change = { tool: 'wire', fields: [field], isLessCareful: false };
      expect(await changesOf(control)).toMatchObject([change]);
      expect(await changesOf(serving([wire(parts)], { cache }).control)).toMatchObject([change]);
    },
  );

  it.each(Object.keys(loose) as (keyof typeof loose)[])(
    'is treated as before when its %s asks for less care, until that is accepted',
    async (hint) => {
      const cache = aMemoryCache();
      const before = { ...careful };
      const after = { ...careful, [hint]: loose[hint] };
      const options = { isTrusted: true, cache };
      await serving([wire({ annotations: before })], options).catalogue.entries();
      const flipped = serving([wire({ annotations: after })], options);
      await flipped.control.startAll(5_000);
      expect(await countingHints(flipped)).toEqual(before);
      expect(await changesOf(flipped.control)).toMatchObject([{ isLessCareful: true }]);
      const next = serving([wire({ annotations: after })], options);
      expect(await countingHints(next)).toEqual(before);
      expect(await next.control.acceptTools('bank')).toMatchObject([{ tool: 'wire' }]);
      expect(await countingHints(next)).toEqual(after);
      expect(await changesOf(next.control)).toEqual([]);
      expect(await countingHints(serving([], options))).toEqual(after);
    },
  );

  it('is compared with what it was when it was gone for a while', async () => {
    const cache = aMemoryCache();
    const options = { isTrusted: true, cache };
    await serving([wire({ annotations: careful })], options).catalogue.entries();
    await serving([], options).control.startAll(5_000);
    const back = serving([wire({ annotations: loose })], options);
    await back.control.startAll(5_000);
    expect(await countingHints(back)).toEqual(careful);
  });

  it('may ask for more care at once, and not go back behind that', async () => {
    const cache = aMemoryCache();
    const options = { isTrusted: true, cache };
    for (const [said, counting] of [
      [loose, loose],
      [careful, careful],
      [loose, careful],
    ]) {
      const fleet = serving([wire({ annotations: said ?? {} })], options);
      await fleet.control.startAll(5_000);
      expect(await countingHints(fleet)).toEqual(counting);
    }
  });

  it('is new where its entry starts another program', async () => {
    const cache = aMemoryCache();
    await serving([wire({ annotations: careful })], { cache }).catalogue.entries();
    const entry = anEntry('bank', { args: ['--other'] });
    const connect = async () => aConnection('bank', { listTools: async () => [wire()] });
    const { control } = aFleet({ outside: anOutside([entry], connect), cache });
    await control.startAll(5_000);
    expect(await changesOf(control)).toEqual([]);
  });
});
