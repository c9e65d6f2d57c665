import { describe, expect, it } from 'vitest';
import { findPaths } from './find-paths.ts';
import type { ProjectFiles } from '../planning.ts';
import { readWords } from './read-words.ts';

const tree = [
  'src/api/server.ts',
  'src/cart.ts',
  'lib/index.ts',
  'src/index.ts',
  'tests/cart.test.ts',
  'README.md',
];
const files: ProjectFiles = {
  kind: async (path) => {
    if (path === '.' || tree.some((file) => file.startsWith(`${path}/`))) return 'folder';
    return tree.includes(path) ? 'file' : undefined;
  },
  list: async () => tree,
};

async function pathsIn(message: string): Promise<readonly string[]> {
  const { words } = await findPaths(readWords(message), files);
  return words.flatMap(({ path }) => (path ? `${path.kind} ${path.path}` : []));
}

describe('paths in a message', () => {
  it.each([
    ['format src/cart.ts', ['file src/cart.ts']],
    ['format cart.ts', ['file src/cart.ts']],
    ['look at @src', ['folder src']],
    ['scan the api folder', ['folder src/api']],
    ['what is in src', ['folder src']],
    ['find secrets in this repo', ['folder .']],
    ['are there keys in here?', ['folder .']],
    ['run the tests', []],
    ['run the tests in tests', ['folder tests']],
    ['open the readme', ['file README.md']],
    ['save it as new.ts', ['new new.ts']],
    ['use client/server style', []],
  ])('%s', async (message, paths) => {
    expect(await pathsIn(message)).toEqual(paths);
  });

  it('says where a name is several times, and what is near to one that is missing', async () => {
    const asked = async (message: string) => (await findPaths(readWords(message), files)).lost;
    expect(await asked('review index.ts')).toEqual([
      {
        name: 'index.ts',
        question:
          'There are several files named "index.ts": lib/index.ts, src/index.ts. Which one?',
      },
    ]);
    expect(await asked('review cart.js')).toEqual([
      {
        name: 'cart.js',
        question: 'There is no "cart.js" here. Did you mean src/cart.ts or tests/cart.test.ts?',
      },
    ]);
  });
});
