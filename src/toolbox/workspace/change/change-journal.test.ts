import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../../../contract/caller/index.ts';
import { noFaults, silentLog } from '../../../kernel/index.ts';
import { ProjectFiles } from '../project-files.ts';
import { aWorkspace } from '../../../../testkit/toolbox/workspace/a-workspace.ts';
import { createWorkspaceServer } from '../workspace-server.ts';
import { callKey, ChangeJournal } from './change-journal.ts';
import { undoLimits } from './change-records.ts';
import { prepareChanges } from './prepare-changes.ts';

const { signal } = new AbortController();

describe('the journal', () => {
  it('lets one process after the other change files', async () => {
    const { root, home } = aWorkspace({ 'a.txt': '' });
    const append = async (line: string) => {
      const server = createWorkspaceServer({ version: '1', roots: [root], home, log: silentLog });
      const diff = `@@ -0,0 +1 @@\n+${line}\n`;
      const context = { caller: localCaller, signal, progress: () => {}, meta: {} };
      return server.callTool('apply_changes', { path: 'a.txt', diff }, context);
    };
    const lines = Array.from({ length: 8 }, (_, index) => `line ${index}`);
    const results = await Promise.all(lines.map(append));
    expect(results.filter(({ isError }) => isError)).toEqual([]);
    const written = readFileSync(join(root, 'a.txt'), 'utf8').trim().split('\n');
    expect(written.sort()).toEqual(lines);
  });

  it('forgets changes that are too old to be undone', async () => {
    const { root, home } = aWorkspace({ 'a.txt': '0' });
    let nowMs = Date.now();
    const files = new ProjectFiles({ roots: [root], ownFolders: [home] });
    const clock = { now: () => nowMs };
    const parts = { files, folder: home, log: silentLog, clock, faultPoint: noFaults };
    const journal = new ChangeJournal(parts);
    const apply = (content: string) => {
      const prepare = async () => ({
        changes: await prepareChanges(files, { path: 'a.txt', content }),
      });
      return journal.apply({ prepare, key: null, signal });
    };
    const { id } = await apply('1');
    expect(await journal.findUndoable(id ?? '')).toMatchObject({ id });
    nowMs += undoLimits.maxAgeMs + 1;
    await apply('2');
    await expect(journal.findUndoable(id ?? '')).rejects.toMatchObject({
      code: 'workspace.no_such_change',
      message: expect.stringContaining('too old'),
    });
  });

  it('takes calls for the same only with the same caller, key and arguments', () => {
    expect(callKey('a', 'k', { x: 1 })).toBe(callKey('a', 'k', { x: 1 }));
    const others = [
      callKey('b', 'k', { x: 1 }),
      callKey('a', 'l', { x: 1 }),
      callKey('a', 'k', {}),
    ];
    expect(new Set([...others, callKey('a', 'k', { x: 1 })]).size).toBe(4);
    expect(callKey('a', undefined, {})).toBeNull();
  });
});

describe('several roots', () => {
  it('are all reached, by paths that mean one file', async () => {
    const [first, second] = [aWorkspace({ 'a.txt': '1' }), aWorkspace({ 'b.txt': '2' })];
    const roots = [first.root, second.root];
    const { home } = first;
    const server = createWorkspaceServer({ version: '1', roots, home, log: silentLog });
    const context = { caller: localCaller, signal, progress: () => {}, meta: {} };
    const call = async (tool: string, args: object) =>
      (await server.callTool(tool, args, context)).structuredContent;
    const inSecond = join(second.root, 'b.txt');
    expect(await call('list_files', {})).toMatchObject({
      files: [{ path: 'a.txt' }, { path: inSecond }],
    });
    expect(await call('apply_changes', { path: 'b.txt', content: '3' })).toMatchObject({
      files: [{ path: inSecond, action: 'modified' }],
    });
    expect(readFileSync(inSecond, 'utf8')).toBe('3');
    writeFileSync(join(first.root, 'b.txt'), 'first');
    expect(await call('read_file', { path: 'b.txt' })).toMatchObject({ content: 'first' });
    expect(await call('read_file', { path: inSecond })).toMatchObject({ content: '3' });
  });
});
