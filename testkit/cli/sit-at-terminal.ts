import { PassThrough } from 'node:stream';
import type { ProcessIo } from '../../src/cli/io.ts';
import { tuttiWithAgent, type AgentOptions, type RanAgent } from './run-on-agent.ts';
import { TextSink } from './run-main.ts';

/** What a person waits for on the screen, types then, or does to the program. */
export type Move =
  | { readonly see: string }
  | { readonly type: string }
  | { readonly act: () => void };

/** A screen somebody looks at. */
class Screen extends TextSink {
  #wanted: (() => void) | undefined;
  #seen = 0;

  constructor() {
    super(true);
  }

  override _write(chunk: unknown, encoding: string, done: () => void): void {
    super._write(chunk, encoding, done);
    this.#wanted?.();
  }

  /** Resolves when the text stands below all that was waited for before. */
  async until(text: string): Promise<void> {
    for (;;) {
      const at = this.text.indexOf(text, this.#seen);
      if (at >= 0) {
        this.#seen = at + text.length;
        return;
      }
      await new Promise<void>((resolve) => {
        this.#wanted = resolve;
      });
    }
  }
}

/** Runs a command line in this process at a terminal; stdout and stderr are one screen, `stdout`. */
export async function sitAtTerminal(
  argv: readonly string[],
  moves: readonly Move[],
  { io, ...options }: AgentOptions = {},
): Promise<RanAgent> {
  const screen = new Screen();
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const here: Partial<ProcessIo> = {
    stdin,
    stdout: screen,
    stderr: screen,
    env: { NO_COLOR: '1' },
    ...io,
  };
  const ran = tuttiWithAgent(argv, { ...options, io: here });
  for (const move of moves) {
    if ('type' in move) stdin.write(move.type);
    else if ('act' in move) move.act();
    else await screen.until(move.see);
  }
  return { ...(await ran), stdout: screen.text };
}
