import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const driver = new URL('drive-terminal.py', import.meta.url).pathname;

/** What a person at a terminal waits for, types, or does to the program. */
export type TerminalStep =
  | { readonly see: string }
  | { readonly type: string }
  | { readonly signal: NodeJS.Signals };

export interface Scenario {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly steps: readonly TerminalStep[];
}

const ended = z.object({
  screen: z.string(),
  exitCode: z.number(),
  /** A text that was waited for and did not come; null when all came. */
  missed: z.string().nullable(),
});
export type TerminalEnd = z.output<typeof ended>;

/** Keys as terminals send them. */
export const keys = {
  enter: '\r',
  tab: '\t',
  up: '\u001B[A',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  pasted: (text: string) => `\u001B[200~${text.replaceAll('\n', '\r')}\u001B[201~`,
} as const;

/** Runs a program at a pseudo-terminal (Python's `pty`) to its end. */
export async function driveTerminal({ argv, ...scenario }: Scenario): Promise<TerminalEnd> {
  const child = spawn('python3', [driver], { stdio: ['pipe', 'pipe', 'inherit'] });
  const output = text(child.stdout);
  child.stdin.end(JSON.stringify({ ...scenario, argv: [process.execPath, ...argv] }));
  await once(child, 'close');
  return ended.parse(JSON.parse(await output));
}
