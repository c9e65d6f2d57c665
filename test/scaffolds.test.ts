import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  scaffoldCode,
  scaffoldKind,
  scaffoldTests,
  type ScaffoldKind,
} from '../src/agent/scaffold/create-scaffolds.ts';
import { languages } from '../src/contract/language/index.ts';
import { createCodeServer } from '../src/toolbox/code/code-server.ts';
import { aCallContext } from '../testkit/toolbox/call-context.ts';
import { aCodeContext } from '../testkit/toolbox/code-context.ts';

const kinds: readonly ScaffoldKind[] = ['function', 'class', 'cli', 'rest'];
const descriptions = [
  'Write parseQuery(url, max_items)',
  "Create a \"class\" that */ counts -- '''words''' ${now} \\ in <b>files</b>",
  'import',
  '',
];
const folder = mkdtempSync(join(tmpdir(), 'tutti-scaffold-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('scaffolds', () => {
  const server = createCodeServer({
    version: '0',
    roots: [folder],
    settings: aCodeContext().settings,
    standardsDirectory: undefined,
  });

  it.each(languages)('of %s are programs that parse, whatever they are for', async (language) => {
    for (const kind of kinds) {
      for (const description of descriptions) {
        const code = scaffoldCode(language, kind, description);
        const { test_code } = scaffoldTests(code, language);
        expect(code + test_code).not.toMatch(/[«»]/);
        for (const text of [code, test_code || code]) {
          const result = await server.callTool(
            'format_code',
            { code: text, language },
            aCallContext(),
          );
          expect(result.isError, `${description}\n${JSON.stringify(result.content)}`).toBeFalsy();
        }
      }
    }
  });

  it.each([
    [
      'python',
      'unittest',
      'def add(a, b):\n    return a + b\n',
      'class TestAdd(unittest.TestCase)',
    ],
    ['javascript', 'vitest', 'export function add(a) {}\n', "from 'vitest'"],
    ['typescript', 'jest', 'export function add(a: number) {}\n', "from '@jest/globals'"],
  ] as const)('of tests in %s follow the framework %s', async (language, framework, code, part) => {
    const { test_code } = scaffoldTests(code, language, framework);
    expect(test_code).toContain(part);
    const formatted = { code: test_code, language };
    const result = await server.callTool('format_code', formatted, aCallContext());
    expect(result.structuredContent).toMatchObject({ changes_made: expect.any(Number) });
    expect(scaffoldTests(code, language, 'constructor')).toEqual(scaffoldTests(code, language));
  });

  it('of a REST resource in JavaScript serve it', async () => {
    const file = join(folder, 'rest.mjs');
    writeFileSync(file, scaffoldCode('javascript', 'rest', 'REST API for users'));
    const { handle, UsersStore } = z
      .object({ handle: z.any(), UsersStore: z.any() })
      .parse(await import(pathToFileURL(file).href));
    const store = new UsersStore();
    const ask = (method: string, url: string, body = {}) => handle(store, { method, url, body });
    expect(ask('POST', '/users', { name: 'Ada' })).toMatchObject({ status: 201 });
    expect(ask('PUT', '/users/1', { name: 'Eve' })).toMatchObject({ status: 200 });
    expect(ask('GET', '/users')).toEqual({ status: 200, value: [{ id: 1, name: 'Eve' }] });
    expect(ask('DELETE', '/users/1')).toMatchObject({ status: 200 });
    expect(ask('GET', '/users/1')).toMatchObject({ status: 404 });
    expect(ask('PATCH', '/users')).toMatchObject({ status: 405 });
  });

  it.each([
    ['a REST endpoint for user management', 'rest'],
    ['a small CLI that counts words', 'cli'],
    ['an LRU cache', 'class'],
    ['checks whether a number is prime', 'function'],
  ])('for "%s" are a %s', (description, kind) => {
    expect(scaffoldKind(description)).toBe(kind);
  });
});
