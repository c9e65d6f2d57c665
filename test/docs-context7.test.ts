import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSystem } from '../src/compose/index.ts';
import { localCaller } from '../src/contract/caller/index.ts';
import { haveRealServers, realServerEntries } from './support/real-servers.ts';
import { aFolder } from './support/run-tutti.ts';
import { isCi } from '../testkit/sample.ts';

interface Answer {
  readonly engine: string;
  readonly reason: string;
  readonly passages: readonly { readonly source: string }[];
}

/** A project with one package, in a fleet whose only other server is the real Context7. */
async function aSystem() {
  const folder = aFolder();
  const files = {
    'config/tutti/config.yaml': JSON.stringify({
      mcpServers: { library_docs: realServerEntries(folder)['context7'] },
    }),
    'node_modules/zod/package.json': JSON.stringify({ version: '0.0.1' }),
    'node_modules/zod/README.md': '# Zod\n\n## Optional values\n\nCall `optional()`.\n',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const system = await openSystem({
    flags: { home: join(folder, 'data') },
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, 'config'),
    },
    cwd: folder,
  });
  onTestFinished(() => system.close());
  return system;
}

// `make test` installs the servers of others; `npm test` alone does without.
describe.skipIf(!haveRealServers && !isCi)('docs with the real Context7 in the fleet', () => {
  it('asks it, and answers from the installed package where it cannot reach its service', async () => {
    const { catalogue } = await aSystem();
    const ask = async (): Promise<Answer> => {
      const result = await catalogue.callTool(
        'docs__get_docs',
        { library: 'npm:zod', topic: 'optional values' },
        {
          caller: localCaller,
          signal: AbortSignal.timeout(60_000),
          progress: () => {},
          meta: {},
        },
      );
      return result.structuredContent as unknown as Answer;
    };
    let answer = await ask();
    // A first listing waits for a while only, and its files may have to come from a cold disk.
    while (answer.reason.includes('not listed so far')) {
      await setTimeout(100);
      answer = await ask();
    }
    expect(answer.passages.length).toBeGreaterThan(0);
    // With a network it is Context7 itself that answers.
    if (answer.engine === 'context7') return;
    expect(answer.reason).toMatch(/^Context7 (?:answered|could not be asked|has no library)/);
    expect(answer.passages[0]?.source).toBe('node_modules/zod/README.md:3');
  }, 90_000);
});
