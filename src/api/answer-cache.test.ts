import { expect, test } from 'vitest';
import type { CatalogueEntry } from '../contract/catalogue/index.ts';
import { anApi, fakePorts } from '../../testkit/api/an-api.ts';
import { AnswerCache } from './answer-cache.ts';

test('makes an answer once for a source and key, and anew for another source or key', () => {
  const cache = new AnswerCache();
  const [source, changed] = [[], []];
  let made = 0;
  const ask = (from: object, key: unknown) =>
    cache.answer(from, key, () => ({ made: (made += 1) }));
  const first = ask(source, ['a']);
  expect(ask(source, ['a'])).toBe(first);
  expect(ask(source, ['b'])).toEqual({ made: 2 });
  expect(ask(changed, ['a'])).toEqual({ made: 3 });
  expect(cache.body(first)?.bytes.toString()).toBe('{"made":1}');
  expect(cache.body({ made: 1 })).toBeUndefined();
});

test('keeps a limited number of answers of a source', () => {
  const cache = new AnswerCache();
  const source = {};
  let made = 0;
  for (let key = 0; key <= 64; key += 1) cache.answer(source, key, () => ({ made: (made += 1) }));
  cache.answer(source, 64, () => ({ made: (made += 1) }));
  expect(made).toBe(65);
  cache.answer(source, 0, () => ({ made: (made += 1) }));
  expect(made).toBe(66);
});

test('a page of tools is that of its caller and of the tools there are now', async () => {
  const ports = await fakePorts();
  let entries = await ports.catalogue.entries();
  const catalogue = Object.assign(Object.create(ports.catalogue), {
    entries: async (): Promise<readonly CatalogueEntry[]> => entries,
  });
  const api = await anApi({ catalogue });
  const list = async (as: string) => {
    const { json, headers } = await api.send({ path: '/api/v1/tools', as });
    return {
      names: json.items.map(({ name }: { name: string }) => name),
      etag: headers.get('etag'),
    };
  };
  const all = await list('anna');
  const scoped = await list('sam');
  expect(all.names).toEqual(entries.map(({ name }) => name));
  expect(scoped.names).toEqual(all.names.filter((name: string) => name.startsWith('fake.echo_')));
  expect(await list('anna')).toEqual(all);
  entries = entries.slice(1);
  expect((await list('anna')).names).toEqual(all.names.slice(1));
  const headers = { 'if-none-match': all.etag ?? '' };
  expect((await api.send({ path: '/api/v1/tools', headers })).status).toBe(200);
});
