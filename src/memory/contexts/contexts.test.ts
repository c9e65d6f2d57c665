import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { localCaller, type Caller } from '../../contract/caller/index.ts';
import type { NewContextItem } from '../../contract/context/index.ts';
import { aContexts, aRunWith } from '../../../testkit/memory/a-contexts.ts';

const anna: Caller = { id: 'acme/anna', tenant: 'acme', role: 'developer' };
const bob: Caller = { id: 'acme/bob', tenant: 'acme', role: 'developer' };

const text = (title: string, content: string): NewContextItem => ({ title, text: content });
const make = (name: string, ...items: NewContextItem[]) => ({ name, items });

async function exported(
  { contexts }: Pick<ReturnType<typeof aContexts>, 'contexts'>,
  caller: Caller,
  ref: string,
): Promise<string[]> {
  const lines: string[] = [];
  let offset: number | null = 0;
  while (offset !== null) {
    const page = await contexts.export(caller, ref, { offset });
    lines.push(...page.texts);
    offset = page.nextOffset;
  }
  return lines;
}

describe('a version', () => {
  it('has the digest of its canonical text as id, independent of caller and time', async () => {
    const [here, there] = [aContexts(), aContexts()];
    const one = await here.contexts.create(anna, make('notes', text('a', 'Grüße 👋\u0000')));
    const other = await there.contexts.create(bob, make('notes', text('a', 'Grüße 👋\u0000')));
    expect(other.id).toBe(one.id);
    const [line = ''] = await exported(here, anna, 'notes');
    expect(one.id).toBe(`ctx-${createHash('sha256').update(line).digest('hex')}`);
  });

  it('never changes: other items make another version, the same ones give the same again', async () => {
    const { contexts } = aContexts();
    const first = await contexts.create(anna, make('notes', text('a', 'one')));
    const second = await contexts.create(anna, make('notes', text('a', 'two')));
    expect(second).toMatchObject({ number: 2, parent: first.id });
    expect(await contexts.create(anna, make('notes', text('a', 'two')))).toEqual(second);
    expect((await contexts.show(anna, first.id)).context.items[0]?.text).toBe('one');
    const found = await Promise.all(
      ['notes', 'notes@2', second.id.slice(0, 12)].map((ref) => contexts.show(anna, ref)),
    );
    expect(found.map(({ id }) => id)).toEqual([second.id, second.id, second.id]);
    const history = await contexts.history(anna, 'notes', { limit: 9 });
    expect(history.map(({ number }) => number)).toEqual([2, 1]);
    expect(await contexts.history(anna, 'notes', { limit: 9, after: second.id })).toHaveLength(1);
  });

  it('can keep the items of its parent and replace those with the same title', async () => {
    const { contexts } = aContexts();
    await contexts.create(anna, make('notes', text('b', 'two'), text('a', 'one')));
    const added = make('notes', text('c', 'three'), text('b', 'TWO'));
    const { id } = await contexts.create(anna, { ...added, isAddition: true });
    const { items } = (await contexts.show(anna, id)).context;
    expect(items.map((item) => item.text)).toEqual(['TWO', 'one', 'three']);
  });

  it('is not made of nothing, of a bad name, or beyond the limits', async () => {
    const { contexts } = aContexts({ limits: { maxVersions: 2, maxBytes: 2_000 } });
    const invalid = { code: 'memory.invalid_context' };
    await expect(contexts.create(anna, make('notes'))).rejects.toMatchObject(invalid);
    const badName = make('../notes', text('a', 'x'));
    await expect(contexts.create(anna, badName)).rejects.toMatchObject(invalid);
    const full = { code: 'memory.context_limit' };
    const large = make('notes', text('a', 'x'.repeat(2_000)));
    await expect(contexts.create(anna, large)).rejects.toMatchObject(full);
    for (const word of ['one', 'two']) await contexts.create(anna, make('n', text('a', word)));
    await expect(contexts.create(anna, make('n', text('a', 'three')))).rejects.toMatchObject(full);
    expect(await contexts.history(anna, 'n', { limit: 9 })).toHaveLength(2);
  });

  it('takes what a session, a run and an artifact hold at that moment', async () => {
    const { contexts, artifacts } = aContexts({ run: aRunWith({ steps: ['lint', 'test'] }) });
    artifacts.set('sha256:1', 'stored text');
    const given = [{ session: 'last' }, { run: 'r1' }, { artifact: 'sha256:1' }];
    await contexts.create(anna, { name: 'all', items: given });
    const { context } = await contexts.show(anna, 'all');
    expect(context.items.map(({ kind, source, text: said }) => [kind, source, said])).toEqual([
      ['session', 'session:s1', 'user: hello\n\nassistant: Hello to you'],
      ['run', 'run:r1#lint', 'lint is done'],
      ['run', 'run:r1#test', 'test is done'],
      ['artifact', 'sha256:1', 'stored text'],
    ]);
  });
});

describe('a diff of two versions', () => {
  it('names what was added, removed and changed, line by line', async () => {
    const { contexts } = aContexts();
    const first = make('notes', text('a', 'one\ntwo\n'), text('b', 'gone'), text('c', 'same'));
    await contexts.create(anna, first);
    const second = make('notes', text('a', 'one\n2\n'), text('c', 'same'), text('d', 'new'));
    await contexts.create(anna, second);
    const diff = await contexts.diff(anna, 'notes@1', 'notes');
    expect(diff).toMatchObject({ isSame: false, unchanged: 1 });
    expect(diff.changes.map(({ change, title }) => [change, title])).toEqual([
      ['changed', 'a'],
      ['removed', 'b'],
      ['added', 'd'],
    ]);
    expect(diff.changes[0]?.patch).toContain('-two\n+2\n');
    expect(await contexts.diff(anna, 'notes', 'notes@2')).toMatchObject({ isSame: true });
  });
});

describe('exported versions', () => {
  it('come back byte for byte, with their ids and parents', async () => {
    const [here, there] = [aContexts(), aContexts()];
    for (let count = 1; count <= 30; count += 1) {
      await here.contexts.create(anna, make('notes', text('a', `"${count}" \u2028 é`)));
    }
    const lines = await exported(here, anna, 'notes');
    const report = await there.contexts.import(bob, lines);
    expect(report).toMatchObject({ added: 30, known: 0, latest: { number: 30 } });
    expect(await exported(there, bob, 'notes')).toEqual(lines);
    expect(await there.contexts.import(bob, lines)).toMatchObject({ added: 0, known: 30 });
  });

  it('are refused as a whole where a line was changed, left out or is none', async () => {
    const { contexts } = aContexts();
    for (const word of ['one', 'two', 'three']) {
      await contexts.create(anna, make('notes', text('a', word)));
    }
    const lines = await exported({ contexts }, anna, 'notes');
    const bad = [
      lines.map((line) => line.replace('two', 'TWO')),
      lines.toSpliced(1, 1),
      lines.with(2, '{}'),
      lines.with(2, 'x'),
      lines.map((line) => ` ${line}`),
      [],
    ];
    for (const texts of bad) {
      await expect(contexts.import(bob, texts)).rejects.toMatchObject({
        code: 'memory.invalid_context',
      });
    }
    expect(await contexts.list(bob, { limit: 9 })).toEqual([]);
  });
});

describe('the context of another caller', () => {
  it('is unknown, in the same words as one that does not exist', async () => {
    const { contexts } = aContexts();
    const { id } = await contexts.create(anna, make('notes', text('a', 'one')));
    const unknown = `ctx-${'0'.repeat(64)}`;
    const tries = (ref: string) => [
      () => contexts.show(bob, ref),
      () => contexts.pack(bob, ref),
      () => contexts.history(bob, ref, { limit: 1 }),
      () => contexts.export(bob, ref, { offset: 0 }),
      () => contexts.diff(bob, ref, ref),
      () => contexts.share(bob, ref, 'acme/carl'),
      () => contexts.unshare(bob, ref, 'acme/carl'),
      () => contexts.remove(bob, ref),
    ];
    const messages = async (ref: string) =>
      Promise.all(
        tries(ref).map((attempt) =>
          attempt().then(
            () => 'found',
            (error: Error) => error.message.replace(ref, 'REF'),
          ),
        ),
      );
    expect(await messages(id)).toEqual(await messages(unknown));
    expect(await messages('notes')).toEqual(await messages('absent'));
    expect(await messages(id)).not.toContain('found');
    expect(await contexts.list(bob, { limit: 9 })).toEqual([]);
  });

  it('can be read once it is shared, later versions too, until that ends; never changed', async () => {
    const { contexts } = aContexts();
    await contexts.create(anna, make('notes', text('a', 'one')));
    await contexts.create(anna, make('other', text('a', 'private')));
    expect(await contexts.share(anna, 'notes', bob.id)).toEqual([bob.id]);
    await contexts.create(anna, make('notes', text('a', 'two')));
    const { owner, context } = await contexts.show(bob, 'notes');
    expect([owner, context.items[0]?.text]).toEqual([anna.id, 'two']);
    expect((await contexts.list(bob, { limit: 9 })).map(({ name }) => name)).toEqual(['notes']);
    const unknown = { code: 'memory.unknown_context' };
    await expect(contexts.remove(bob, 'notes')).rejects.toMatchObject(unknown);
    await expect(contexts.share(bob, 'notes', 'acme/carl')).rejects.toMatchObject(unknown);
    await expect(contexts.show(bob, 'other')).rejects.toMatchObject(unknown);
    const mine = await contexts.create(bob, make('notes', text('a', 'mine')));
    expect((await contexts.show(bob, 'notes')).owner).toBe(bob.id);
    expect((await contexts.show(anna, 'notes')).context.items[0]?.text).toBe('two');
    await contexts.remove(bob, mine.id);
    expect(await contexts.unshare(anna, 'notes', bob.id)).toEqual([]);
    await expect(contexts.show(bob, 'notes')).rejects.toMatchObject(unknown);
  });

  it('is not shared beyond the tenant, nor with more callers than there may be', async () => {
    const { contexts } = aContexts({ limits: { maxShares: 1 } });
    await contexts.create(anna, make('notes', text('a', 'one')));
    for (const target of ['other/sam', 'local', anna.id, '', 'acme/ b']) {
      await expect(contexts.share(anna, 'notes', target)).rejects.toMatchObject({
        code: 'memory.share_refused',
      });
    }
    await contexts.share(anna, 'notes', bob.id);
    await expect(contexts.share(anna, 'notes', 'acme/carl')).rejects.toMatchObject({
      code: 'memory.context_limit',
    });
    await contexts.create(localCaller, make('notes', text('a', 'one')));
    expect(await contexts.share(localCaller, 'notes', 'other/sam')).toEqual(['other/sam']);
  });

  it('is gone with its shares when its owner removes it', async () => {
    const { contexts } = aContexts();
    for (const word of ['one', 'two']) await contexts.create(anna, make('n', text('a', word)));
    await contexts.share(anna, 'n', bob.id);
    expect(await contexts.remove(anna, 'n@1')).toBe(1);
    expect(await contexts.history(anna, 'n', { limit: 9 })).toHaveLength(1);
    expect(await contexts.remove(anna, 'n')).toBe(1);
    await contexts.create(anna, make('n', text('a', 'three')));
    await expect(contexts.show(bob, 'n')).rejects.toMatchObject({ code: 'memory.unknown_context' });
  });
});
