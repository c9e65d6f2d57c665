/** The floor of a cold review: the linters a developer would run, called directly over the files of a folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Linter } from 'eslint';
import { parseSync } from 'oxc-parser';

const folder = process.argv[2] ?? '.';
const require = createRequire(import.meta.url);
// What `require` returns is the module of that name.
const ruff = require('@astral-sh/ruff-wasm-nodejs') as typeof import('@astral-sh/ruff-wasm-nodejs');
const workspace = new ruff.Workspace(
  { lint: { select: ['E', 'F', 'W', 'B', 'S', 'C90', 'D', 'N', 'PL'] } },
  ruff.PositionEncoding.Utf16,
);
const linter = new Linter({ configType: 'flat' });
const rules = {
  eqeqeq: 'error',
  'no-unused-vars': 'error',
  complexity: 'error',
  'prefer-const': 'error',
} as const;

for (const name of readdirSync(folder)) {
  const text = name.startsWith('.') ? '' : readFileSync(join(folder, name), 'utf8');
  if (name.endsWith('.py')) workspace.check(text);
  if (!name.endsWith('.ts')) continue;
  // ESLint alone reads no TypeScript: it gets the same file parsed, and an empty program to start its rules.
  parseSync(name, text);
  linter.verify('export const a = 1;', [{ rules }]);
}
