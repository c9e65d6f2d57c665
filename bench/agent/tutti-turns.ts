/** Turns of Tutti in sessions of twenty: intent, plan, durable run, answer. Prints a line per turn. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSystem } from '../../src/compose/index.ts';
import { localCaller } from '../../src/contract/caller/index.ts';

const [modelUrl = '', turns = '1', message = ''] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), 'bench-agent-'));
const providers = JSON.stringify({
  scripted: { kind: 'openai', url: modelUrl, model: 'scripted' },
});
const system = await openSystem({
  cwd: process.cwd(),
  env: { ...process.env, TUTTI_HOME: home, TUTTI_MODELS_PROVIDERS: providers },
  flags: {},
});
const turnsPerSession = 20;
let session: string | undefined;
try {
  for (let turn = 0; turn < Number(turns); turn += 1) {
    if (turn % turnsPerSession === 0) session = undefined;
    const startedAt = performance.now();
    let text = '';
    const outcome = await system.agent.ask(
      { caller: localCaller, message, acceptPreview: true, ...(session && { session }) },
      {
        signal: new AbortController().signal,
        onEvent: (event) => {
          if (event.kind === 'text') text += event.text;
        },
      },
    );
    const ms = performance.now() - startedAt;
    if (outcome.kind !== 'answer' || !text.includes('complexity')) {
      throw new Error(`unexpected outcome: ${JSON.stringify(outcome)}`);
    }
    session = outcome.sessionId;
    console.log(JSON.stringify({ ms }));
  }
} finally {
  await system.close();
  rmSync(home, { recursive: true, force: true });
}
process.exit(0);
