import { posix } from 'node:path';
import { expect, it } from 'vitest';
import { exportedNames } from './exported-names.ts';

async function namesOf(files: Readonly<Record<string, string>>) {
  const found = await exportedNames(
    ['index'],
    async (file) => files[file],
    (from, path) => posix.join(posix.dirname(from), path),
  );
  return Object.fromEntries(
    [...found].map(([file, names]) => [file, names === 'all' ? names : [...names]]),
  );
}

it('follows exports through files, under the names they have there', async () => {
  expect(
    await namesOf({
      index: `export * from './all';\nexport { a, type B, c as d } from "./some";\nimport { Inner } from './inner';\nimport E, { f } from './imported';\nexport { E, f as g };`,
      all: `export * from './deeper/more';`,
      some: `export { a } from './a';\nexport { x } from './x';`,
      inner: `export * from './never';`,
    }),
  ).toEqual({
    index: 'all',
    all: 'all',
    'deeper/more': 'all',
    some: ['a', 'B', 'c'],
    a: ['a'],
    imported: ['f', 'E'],
  });
});

it('ends where files export one another', async () => {
  expect(await namesOf({ index: "export * from './b';", b: "export * from './index';" })).toEqual({
    index: 'all',
    b: 'all',
  });
});
