import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { glob } from 'tinyglobby';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSystem, type System } from '../src/compose/index.ts';
import { renderConfigurationDoc } from '../scripts/render-configuration-doc.ts';
import type { CatalogueEntry } from '../src/contract/catalogue/index.ts';
import { permissions } from '../src/contract/access/index.ts';
import { errorCodes } from '../src/contract/error/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-own-tools-'));
let system: System;
let tools: readonly CatalogueEntry[];

beforeAll(async () => {
  system = await openSystem({
    flags: { home: join(folder, 'home') },
    env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder },
    cwd: folder,
  });
  tools = await system.catalogue.entries();
}, 60_000);

afterAll(async () => {
  await system.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Finding {
  readonly at: string;
  readonly problem: string;
}

/** Every object inside a schema that names its properties, checked for what a caller needs to know. */
function inspect(schema: unknown, at: string): Finding[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const found: Finding[] = [];
  const node = schema as Record<string, unknown>;
  const properties = Object.entries(
    (node['properties'] ?? {}) as Record<string, { description?: string }>,
  );
  if (properties.length > 0 && node['additionalProperties'] !== false) {
    found.push({ at, problem: 'takes arguments that it does not know' });
  }
  for (const [name, property] of properties) {
    const words = property.description?.trim() ?? '';
    if (words === '') found.push({ at: `${at}.${name}`, problem: 'has no description' });
    found.push(...inspect(property, `${at}.${name}`));
  }
  for (const key of ['items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties', 'prefixItems']) {
    for (const inner of [node[key]].flat()) found.push(...inspect(inner, `${at}/${key}`));
  }
  for (const [name, inner] of Object.entries(node['$defs'] ?? {}))
    found.push(...inspect(inner, `${at}/${name}`));
  return found;
}

describe('every tool of ours', () => {
  it('describes each of its arguments and refuses unknown ones, nested ones too', () => {
    expect(tools.length).toBeGreaterThan(25);
    expect(tools.flatMap(({ name, tool }) => inspect(tool.inputSchema, name))).toEqual([]);
  });
});

describe('names of settings', () => {
  const known = new Set(
    [...renderConfigurationDoc().matchAll(/^- \*\*`([a-z_.]+)`\*\*/gm)].map(([, key]) => key ?? ''),
  );
  const groups = new Set(
    [...known].flatMap((key) =>
      key.split('.').map((_part, i, all) => all.slice(0, i + 1).join('.')),
    ),
  );

  it('that the docs, descriptions and errors mention exist', async () => {
    const root = new URL('..', import.meta.url).pathname;
    const paths = await glob(
      ['README.md', 'docs/**/*.md', 'src/**/*.ts', 'src/**/*.md', '!**/*.test.ts'],
      { cwd: root },
    );
    expect(paths.length).toBeGreaterThan(500);
    const placeholders = ['server.tool', 'server.prompt'];
    const names = new Set([
      ...tools.map(({ name }) => name),
      ...Object.keys(errorCodes),
      ...placeholders,
      ...Object.keys(permissions),
      // Events of the audit log, keys of one entry, and files.
      'audit.truncated',
      'audit.sealed',
      'login.exchange',
      'login.png',
      'identity.ts',
    ]);
    const wrong: string[] = [];
    for (const path of paths) {
      for (const name of settingsNamedIn(readFileSync(join(root, path), 'utf8'))) {
        if (!groups.has(name) && !names.has(name)) wrong.push(`${path}: ${name}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  function settingsNamedIn(text: string): string[] {
    const sections = [
      ...new Set([...known].filter((key) => key.includes('.')).map((key) => key.split('.')[0])),
    ].join('|');
    const forms = [
      /settings?[ \n]+["'`]{0,2}([a-z_]+(?:\.[a-z_]+)+)/g,
      /--set[ \n]+([a-z_]+(?:\.[a-z_]+)+)=/g,
      new RegExp(`\`((?:${sections})(?:\\.[a-z_]+)+)[\`:=]`, 'g'),
    ];
    return forms.flatMap((form) => [...text.matchAll(form)].map(([, name]) => name ?? ''));
  }
});
