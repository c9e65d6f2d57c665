import { createRequire } from 'node:module';
import type { ParserOptions } from 'oxc-parser';
import { TooComplexError } from '../errors.ts';
import { runChild, type ChildLimits } from './run-child.ts';

const probeLimits: ChildLimits = { timeLimitMs: 30_000, maxOutputBytes: 1024 * 1024 };

/** Less than the 4 MB of our own workers: what fits here fits there, whatever the callers use. */
const probeStackMb = 3;

/** A text and all the ways it is going to be parsed, the later ones after an error only. */
export interface ProbedParse {
  readonly path: string;
  readonly text: string;
  readonly fileName: string;
  readonly attempts: readonly ParserOptions[];
}

/**
 * Throws `TooComplexError` for a text on which the native parser's stack ends. Nothing but the
 * parser itself knows how deep it goes, so a process that may crash tries it first.
 */
export async function assertParserSurvives(parse: ProbedParse): Promise<void> {
  const parser = createRequire(import.meta.url).resolve('oxc-parser');
  const end = await runChild({
    program: process.execPath,
    args: ['-e', probe, parser, parse.fileName, JSON.stringify(parse.attempts)],
    stdin: parse.text,
    limits: probeLimits,
    signal: new AbortController().signal,
  });
  if (end.kind === 'exited' && end.exitCode === 0) return;
  const reason = end.kind === 'stopped' ? end.reason : undefined;
  throw new TooComplexError(
    parse.path,
    reason === undefined ? 'it is nested too deeply' : `the parser was stopped on it: ${reason}`,
  );
}

/**
 * In a thread, because only a thread's stack has the same size everywhere. It also ends by itself:
 * who waits for it may be stopped meanwhile.
 */
const probe = `
setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${probeLimits.timeLimitMs}).unref();
const [parser, fileName, attempts] = process.argv.slice(1);
new (require('node:worker_threads').Worker)(
  \`const { parser, fileName, attempts, text } = require('node:worker_threads').workerData;
  const { parseSync } = require(parser);
  attempts.find((options) => parseSync(fileName, text, options).errors.length === 0);\`,
  {
    eval: true,
    workerData: {
      parser,
      fileName,
      attempts: JSON.parse(attempts),
      text: require('node:fs').readFileSync(0, 'utf8'),
    },
    resourceLimits: { stackSizeMb: ${probeStackMb} },
  },
);`;
