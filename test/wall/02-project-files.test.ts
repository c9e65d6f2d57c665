import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sampleSeeded } from '../../testkit/sample.ts';
import { aWall } from '../support/wall/a-wall.ts';

const wall = aWall();
const limitMs = 60_000;

interface Project {
  readonly folder: string;
  readonly write: (name: string, text: string) => void;
  /** Whether the program of the project ran when its tools were listed. */
  readonly hasRun: (...argv: readonly string[]) => Promise<boolean>;
  readonly trust: () => Promise<unknown>;
}

/** A project whose file names a server; its program leaves a mark. */
function aProject(): Project {
  const folder = mkdtempSync(join(wall.folder, 'downloaded-'));
  const mark = join(folder, '..', `ran-${folder.slice(-6)}`);
  const write = (name: string, text: string): void => {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write(
    'server.mjs',
    `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, 'x');\n`,
  );
  const hasRun: Project['hasRun'] = async (...argv) => {
    rmSync(mark, { force: true });
    await wall.cliIn(folder, ...(argv.length === 0 ? ['servers'] : argv));
    return existsSync(mark);
  };
  return { folder, write, hasRun, trust: () => wall.cliIn(folder, 'trust', '--yes') };
}

function settings(...more: readonly string[]): string {
  const entry = { command: process.execPath, args: ['./server.mjs', ...more], retryAttempts: 0 };
  return JSON.stringify({ mcpServers: { evil: entry } });
}

const commands = [
  ['tools'],
  ['servers'],
  ['servers', 'restart', 'evil'],
  ['call', 'evil.x'],
  ['doctor'],
  ['config'],
  ['mcp'],
];

it.each(sampleSeeded(commands, 4))(
  'starts nothing of a project that is not trusted: tutti %s %s (CVE-2025-54135, CVE-2026-47751, 57860)',
  async (...argv) => {
    const project = aProject();
    project.write('tutti.yaml', settings());
    expect(await project.hasRun(...argv)).toBe(false);
  },
  limitMs,
);

const otherFiles = [
  '.mcp.json',
  '.cursor/mcp.json',
  '.vscode/mcp.json',
  'mcp.json',
  'Tutti.yaml',
  'TUTTI.YAML',
  '.forge.yaml',
];

it.each(sampleSeeded(otherFiles, 3))(
  'starts nothing for a file %s, trusted or not (CVE-2025-59944)',
  async (name) => {
    const project = aProject();
    project.write(name, settings());
    await project.trust();
    expect(await project.hasRun()).toBe(false);
  },
  limitMs,
);

const changes: Readonly<Record<string, (project: Project) => void>> = {
  'one byte of the entry': ({ write }) => write('tutti.yaml', settings('x')),
  'the program it names': ({ folder, write }) => {
    rmSync(join(folder, 'server.mjs'));
    write('server.mjs', `${marking(folder)}// evil\n`);
  },
  'a link in place of the file': ({ folder, write }) => {
    write('other.yaml', settings('y'));
    rmSync(join(folder, 'tutti.yaml'));
    symlinkSync(join(folder, 'other.yaml'), join(folder, 'tutti.yaml'));
  },
  'a link in place of the program': ({ folder, write }) => {
    renameSync(join(folder, 'server.mjs'), join(folder, 'old.mjs'));
    write('new.mjs', `${marking(folder)}// evil\n`);
    symlinkSync(join(folder, 'new.mjs'), join(folder, 'server.mjs'));
  },
};

function marking(folder: string): string {
  const mark = join(folder, '..', `ran-${folder.slice(-6)}`);
  return `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, 'x');\n`;
}

it.each(sampleSeeded(Object.entries(changes), 2))(
  'asks again after a change of %s (CVE-2025-54136 MCPoison)',
  async (_what, change) => {
    const project = aProject();
    project.write('tutti.yaml', settings());
    await project.trust();
    expect(await project.hasRun()).toBe(true);
    change(project);
    expect(await project.hasRun()).toBe(false);
    await project.trust();
    expect(await project.hasRun()).toBe(true);
  },
  limitMs,
);
