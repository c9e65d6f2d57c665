import { expect, it, vi } from 'vitest';
import { loadSettings } from '../config/index.ts';
import { silentLog } from '../kernel/index.ts';
import { Roots } from './roots.ts';

async function someRoots(flags: Readonly<Record<string, unknown>> = {}): Promise<Roots> {
  const here = { flags, env: {}, cwd: '/start', homeDirectory: '/', platform: process.platform };
  return new Roots(await loadSettings(here), silentLog);
}

const answer =
  (...uris: string[]) =>
  async () => ({ roots: uris.map((uri) => ({ uri })) });

it('are those of the client, of which only local folders count', async () => {
  const roots = await someRoots();
  expect(await roots.current()).toEqual(['/start']);
  roots.follow(answer('file:///a%20b', 'https://x/y', 'file://host/c', 'file:///a%20b', 'bad'));
  expect(await roots.current()).toEqual(['/a b']);
  expect(await roots.current()).toBe(await roots.current());
  roots.follow(answer());
  expect(await roots.current()).toEqual(['/start']);
});

it('stay as they were when the client answers nonsense, an error or nothing', async () => {
  const roots = await someRoots();
  roots.follow(answer('file:///shop'));
  await roots.current();
  roots.follow(async () => ({ roots: 'all' }));
  expect(await roots.current()).toEqual(['/shop']);
  roots.follow(async () => {
    throw new Error('no');
  });
  expect(await roots.current()).toEqual(['/shop']);
});

it('are never asked for when the user named some', async () => {
  const roots = await someRoots({ roots: ['/mine'] });
  const ask = vi.fn(answer('file:///shop'));
  roots.follow(ask);
  expect(await roots.current()).toEqual(['/mine']);
  expect(ask).not.toHaveBeenCalled();
});
