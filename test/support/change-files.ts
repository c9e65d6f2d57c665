import { readFileSync } from 'node:fs';
import { localCaller } from '../../src/contract/caller/index.ts';
import { silentLog } from '../../src/kernel/index.ts';
import { createWorkspaceServer } from '../../src/toolbox/workspace/index.ts';

/** Applies the changes of a file, in a process that a test kills. Says when it begins and when it is done. */
const [root = '', home = '', request = ''] = process.argv.slice(2);
const server = createWorkspaceServer({ version: '0', roots: [root], home, log: silentLog });
const changes: unknown = JSON.parse(readFileSync(request, 'utf8'));
const context = {
  caller: localCaller,
  signal: new AbortController().signal,
  progress: () => {},
  meta: {},
};
// Loads all that the call needs, so that the kill hits the change and not the start.
await server.callTool('git_status', {}, context);
await server.preview('apply_changes', { changes }, context);
process.stdout.write('begins\n');
const result = await server.callTool('apply_changes', { changes }, context);
process.stdout.write(`${JSON.stringify(result.structuredContent ?? result.content)}\n`);
