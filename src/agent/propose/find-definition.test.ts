import { describe, expect, it } from 'vitest';
import { findDefinition } from './find-definition.ts';

const files: Readonly<Record<string, string>> = {
  'lib/math.js': 'export const add = (a, b) => a + b;\nexport function fib(n) { return n; }\n',
  'lib/dates.ts': 'export const parseDate: Parse = async (text) => text;\n',
  'src/cart.py': 'class Cart:\n    def total(self, prices):\n        return fib(1)\n',
  'src/other.py': 'def load(path):\n    pass\n',
  'src/again.py': 'def load(path):\n    pass\n',
  'server/main.go': 'package main\nfunc (s *Server) Listen(port int) error { return nil }\n',
  'tests/test_cart.py': 'def test_total(): pass\nclass Cart: pass\n',
  'notes.md': 'def total',
};

const project = {
  list: async () => Object.keys(files),
  read: async (path: string) => files[path],
};

const find = (message: string) => findDefinition(message, project, new AbortController().signal);

describe('the file that defines what a message names', () => {
  it.each([
    ['generate unit tests for fib', 'lib/math.js'],
    ['write tests for parseDate', 'lib/dates.ts'],
    ['add a docstring to the function total', 'src/cart.py'],
    ['explain the Cart class', 'src/cart.py'],
    ['what does Listen do', 'server/main.go'],
    ['tests for add() please', 'lib/math.js'],
  ])('%s', async (message, path) => {
    expect(await find(message)).toBe(path);
  });

  it.each([
    ['a name that two files define', 'write tests for load'],
    ['a name that none defines', 'write tests for missing'],
    ['a word that is only used', 'document the code'],
    ['no name at all', 'review'],
  ])('is not guessed for %s', async (_what, message) => {
    expect(await find(message)).toBeUndefined();
  });

  it('ends when it is cancelled', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(findDefinition('tests for fib', project, signal)).rejects.toThrow('enough');
  });
});
