import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { sampleSeeded } from '../../testkit/sample.ts';
import { aWall, rpcOf, type Json } from '../support/wall/a-wall.ts';

const wall = aWall();
const secret = 'tutti-wall-outside';

beforeAll(() => {
  writeFileSync(join(wall.folder, 'outside.txt'), secret);
  writeFileSync(join(wall.project, 'a.txt'), 'inside');
  mkdirSync(join(wall.project, '.git'), { recursive: true });
  writeFileSync(join(wall.project, '.git', 'config'), `[core]\n# ${secret}\n`);
  symlinkSync(join(wall.folder, 'outside.txt'), join(wall.project, 'link.txt'));
  symlinkSync(wall.folder, join(wall.project, 'up'));
});

/** Class 10 (files) and 9 (arguments that become flags or code). */
const paths: Readonly<Record<string, string>> = {
  'CVE-2025-67366 up and out': '../outside.txt',
  'CVE-2025-67366 up from within': 'x/../../outside.txt',
  'CVE-2025-67366 an absolute path': '/etc/passwd',
  'CVE-2025-66689 the home directory': '~/outside.txt',
  'CVE-2025-66689 a link out of the project': 'link.txt',
  'CVE-2025-66689 a linked folder': 'up/outside.txt',
  'CVE-2025-66689 a prefix of the root': '../project-evil/x',
  'CVE-2026-59820 a name of an archive': '../../../../tmp/evil',
  'CVE-2026-15415 a device': '/dev/zero',
  'CVE-2026-15415 the environment of the process': '/proc/self/environ',
  'CVE-2026-15415 a file URL': 'file:///etc/passwd',
  'CVE-2026-49988 the token of the server': '../data/serve-token',
  'CVE-2025-68143 Git itself': '.git/config',
  'CVE-2025-68144 a flag': '--output=/tmp/evil',
  'CVE-2025-68145 a short flag': '-o/tmp/evil',
  'CVE-2026-61459 a flag that names a server': '--server=http://evil.example',
  'CVE-2026-44968 a NUL': 'a.txt\0../outside.txt',
  'CVE-2025-53355 a shell': '$(cat ../outside.txt)',
  'CVE-2026-58195 a shell in backquotes': '`cat ../outside.txt`',
  'CVE-2026-44717 code': 'require("fs").readFileSync("../outside.txt")',
  'CVE-2026-0755 a line break': 'a.txt\n../outside.txt',
  backslashes: '..\\outside.txt',
  'percent signs': '%2e%2e/outside.txt',
};

const tools = ['workspace__read_file', 'workspace__search_text', 'code__review_code'];

it.each(Object.entries(paths))('reads nothing outside by %s', async (_what, path) => {
  for (const name of tools) {
    const args = { path, query: secret };
    for (const answer of [
      await wall.stateless('tools/call', { name, arguments: args }),
      await wall.inSession('tools/call', { name, arguments: args }),
    ]) {
      expect(answer.text.replaceAll(/"query":"[^"]*"/g, '')).not.toContain(`"${secret}`);
      expect(answer.text).not.toMatch(/root:x:0|internal\.bug/);
      expect(isRefused(rpcOf(answer)), `${name} ${answer.text}`).toBe(true);
    }
  }
  expect(wall.started().filter((program) => JSON.stringify(program).includes('outside'))).toEqual(
    [],
  );
});

/** An error of a tool or of the request, or a search that found nothing. */
function isRefused({ error, result }: Json): boolean {
  if (error !== undefined) return true;
  const { isError, structuredContent } = result as { isError?: boolean; structuredContent?: Json };
  const found = structuredContent?.['matches'] ?? structuredContent?.['files'];
  return isError === true || (Array.isArray(found) && found.length === 0);
}

it.each(Object.entries(paths).filter(([what]) => !/shell|code|percent|backslash/.test(what)))(
  'writes nothing outside by %s',
  async (_what, path) => {
    const args = { path, content: 'evil' };
    const answer = await wall.stateless('tools/call', {
      name: 'workspace__apply_changes',
      arguments: args,
    });
    const { error, result } = rpcOf(answer) as { error?: Json; result?: Json };
    const isFlag = /^(?:-|~|file:)/.test(path);
    // These are names as any other: they are written inside of the project.
    if (!isFlag)
      expect(error !== undefined || result?.['isError'] === true, answer.text).toBe(true);
    expect(answer.text).not.toContain('internal.bug');
  },
);

it.each([
  'artifact://sha256:..%2f..%2fetc',
  'file:///etc/passwd',
  'config://../../etc',
  'standards://../../x',
])('reads no resource %s (CVE-2026-49988)', async (uri) => {
  for (const answer of [
    await wall.stateless('resources/read', { uri }),
    await wall.inSession('resources/read', { uri }),
  ]) {
    expect(rpcOf(answer)).toHaveProperty('error');
    expect(answer.text).not.toMatch(/root:x:0|internal\.bug/);
  }
});

const ids = ['../../data/serve-token', 'sha256:../../x', 'sha256:', '/etc/passwd', 'sha256:zz'];

it.each(sampleSeeded(ids, 2))(
  'reads no artifact %s, over MCP, stdio and on the command line',
  async (id) => {
    const call = { name: 'workflow__read_artifact', arguments: { id } };
    const [answer] = await wall.stdio({ method: 'tools/call', params: call });
    expect(isRefused(answer ?? {})).toBe(true);
    expect(isRefused(rpcOf(await wall.stateless('tools/call', call)))).toBe(true);
    expect((await wall.cli('call', 'workflow.read_artifact', `id=${id}`)).exitCode).not.toBe(0);
  },
);
