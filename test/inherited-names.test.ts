import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSystem, type System } from '../src/compose/index.ts';
import { localCaller } from '../src/contract/caller/index.ts';
import { errorMetaKey } from '../src/contract/tool/index.ts';

/** Names that every plain object has: found in a table of ours they would be taken for an entry. */
const names = Object.getOwnPropertyNames(Object.prototype);

const folder = mkdtempSync(join(tmpdir(), 'tutti-inherited-names-'));
const project = join(folder, 'project');
let system: System;

beforeAll(async () => {
  mkdirSync(join(project, '.tutti', 'standards', 'prompts'), { recursive: true });
  for (const name of names) writeFileSync(join(project, `file.${name}`), 'x\n');
  writeFileSync(join(project, 'pom.xml'), pomWith(names));
  system = await openSystem({
    flags: { home: join(folder, 'home') },
    env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder },
    cwd: project,
  });
}, 60_000);

afterAll(async () => {
  await system.close();
  rmSync(folder, { recursive: true, force: true });
});

function pomWith(versions: readonly string[]): string {
  const one = (version: string): string =>
    `<dependency><groupId>g</groupId><artifactId>a-${version.toLowerCase()}</artifactId><version>1.0-${version}</version></dependency>`;
  return `<project><modelVersion>4.0.0</modelVersion><dependencies>${versions.map(one).join('')}</dependencies></project>\n`;
}

async function codeOf(tool: string, args: object): Promise<unknown> {
  const { signal } = new AbortController();
  const context = { caller: localCaller, signal, progress: () => {}, meta: {} };
  const result = await system.catalogue.callTool(tool, args, context);
  const failure: { code?: unknown } = Object(result._meta?.[errorMetaKey]);
  return failure.code;
}

describe.each(names)('the name %s', (name) => {
  it.each([
    ['code.format_code', { code: 'x = 1\n', language: 'python', formatter: name }],
    ['code.format_code', { code: `<${name}><li>a<${name}>b`, language: 'html' }],
    ['code.format_code', { code: `function ${name}() { return this.${name}; }`, language: 'java' }],
    ['code.format_code', { path: `file.${name}` }],
    ['code.review_code', { code: `const a = b.${name}();\n`, language: 'javascript' }],
    ['code.review_code', { code: `def ${name}(self):\n    return ${name}\n`, language: 'python' }],
    ['code.review_code', { code: `a { ${name}: 1; }`, language: 'css' }],
    ['code.analyze_complexity', { code: `<${name}><p>a</p></${name}>`, language: 'html' }],
    ['code.analyze_complexity', { path: `file.${name}` }],
    ['standards.get_standard', { language: name }],
    ['exec.run_command', { argv: ['true'], toolchain: name }],
  ])('is none of our own in %s %j', async (tool, args) => {
    expect(await codeOf(tool, args)).not.toBe('internal.bug');
  });
});

it('is the version of a library like any other', async () => {
  expect(await codeOf('code.scan_dependencies', { path: '.' })).not.toBe('internal.bug');
});
