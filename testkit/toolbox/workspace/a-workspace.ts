import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { errorMetaKey } from '../../../src/contract/tool/index.ts';
import { silentLog } from '../../../src/kernel/index.ts';
import { aCallContext } from '../call-context.ts';
import { createWorkspaceServer } from '../../../src/toolbox/workspace/workspace-server.ts';

/** A project in a folder of its own, and the server over it. */
export function aWorkspace(files: Readonly<Record<string, string | Buffer>> = {}) {
  const place = mkdtempSync(join(tmpdir(), 'tutti-workspace-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const root = join(place, 'project');
  const home = join(place, 'home');
  mkdirSync(root);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const server = createWorkspaceServer({ version: '1', roots: [root], home, log: silentLog });
  const call = async (tool: string, args: object, meta: Record<string, unknown> = {}) => {
    const result = await server.callTool(tool, args, aCallContext({ meta }));
    const error: { code?: string; message?: string } = Object(result._meta?.[errorMetaKey]);
    const [text] = result.content;
    return {
      ...result.structuredContent,
      ...error,
      text: String(text?.['text']),
    } as unknown as Answer;
  };
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', env: { ...process.env, ...author } });
  return { root, home, place, server, call, git };
}

/** What a call gave: its structured content, or the code and message of its failure. */
export interface Answer extends Readonly<Record<string, unknown>> {
  readonly text: string;
  readonly files: readonly Record<string, unknown>[];
  readonly commits: readonly Record<string, unknown>[];
}

const author = {
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
};
