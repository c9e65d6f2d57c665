import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { aFolder } from './run-tutti.ts';

export type FixtureEra = 'handshake' | 'stateless';

const program = new URL('./servers/conformance-server.ts', import.meta.url).pathname;

/** The entry of `mcpServers` for the fixture as a program. */
export function fixtureProgram(era: FixtureEra): object {
  return { command: process.execPath, args: [program, 'stdio', era, aFolder()] };
}

/** Starts the fixture on HTTP and gives its address; it is gone when the test ends. */
export async function startFixture(era: FixtureEra): Promise<string> {
  const child = spawn(process.execPath, [program, 'http', era, aFolder()], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const [line] = await once(child.stdout, 'data');
  return String(line).replace('listening on ', '').trim();
}
