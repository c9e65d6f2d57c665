/**
 * Writes `dist-bundle/tutti-VERSION-PLATFORM.mcpb`: an MCP bundle (a zip with `manifest.json`) with Tutti and its run-time
 * dependencies, for clients that install servers from one file. `--from FOLDER` takes an installation that is there already.
 */
import { execFileSync } from 'node:child_process';
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { zipSync, type Zippable } from 'fflate';
import { z } from 'zod';

const { values } = parseArgs({
  options: { from: { type: 'string' }, to: { type: 'string', default: 'dist-bundle' } },
});
const about = z
  .object({ version: z.string(), description: z.string(), license: z.string() })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));
const platform = `${process.platform}-${process.arch}`;

const scratch = mkdtempSync(join(tmpdir(), 'tutti-bundle-'));
try {
  const folder = values.from === undefined ? install(scratch) : resolve(values.from);
  mkdirSync(values.to, { recursive: true });
  const file = join(values.to, `tutti-${about.version}-${platform}.mcpb`);
  writeFileSync(file, zipSync(contents(folder), { level: 6, mtime: '1990-01-01' }));
  console.log(`${file} (${Math.round(statSync(file).size / 1e6)} MB)`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Installs the packed package as a user would, so that the bundle holds what is published and nothing else. */
function install(folder: string): string {
  const npm = (...args: string[]): string => execFileSync('npm', args, { encoding: 'utf8' });
  const [tarball = ''] = npm('pack', '--silent', '--pack-destination', folder)
    .trim()
    .split('\n')
    .slice(-1);
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  npm('install', '--prefix', folder, '--prefer-offline', ...quiet, join(folder, tarball));
  return folder;
}

function contents(folder: string): Zippable {
  const files = globSync('node_modules/**', {
    cwd: folder,
    // Links to programs, what only compilers and debuggers read, and a Node that was installed beside.
    exclude: (path) =>
      /(?:^|[/\\])(?:\.bin|node-[a-z]+-[a-z0-9]+)$|\.map$|\.d\.[cm]?ts$/.test(path),
  }).filter((path) => statSync(join(folder, path)).isFile());
  const server = files
    .toSorted()
    .map((path): [string, Uint8Array] => [
      `server/${path.replaceAll('\\', '/')}`,
      readFileSync(join(folder, path)),
    ]);
  const manifestText = `${JSON.stringify(manifest(), null, 2)}\n`;
  return { 'manifest.json': Buffer.from(manifestText), ...Object.fromEntries(server) };
}

function manifest(): object {
  const entryPoint = 'server/node_modules/tutti/bin/tutti.js';
  return {
    manifest_version: '0.3',
    name: 'tutti',
    display_name: 'Tutti',
    version: about.version,
    description: about.description,
    author: { name: 'The Tutti contributors' },
    license: about.license,
    server: {
      type: 'node',
      entry_point: entryPoint,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${entryPoint}`, 'mcp', '--root', '${user_config.project}'],
      },
    },
    user_config: {
      project: {
        type: 'directory',
        title: 'Project',
        description: 'The folder whose files the tools may read.',
        required: true,
      },
    },
    tools_generated: true,
    prompts_generated: true,
    compatibility: { platforms: [process.platform], runtimes: { node: '>=24.0.0' } },
  };
}
