import { describe } from 'vitest';
import type { SandboxJob } from '../../src/sandbox/driver.ts';
import { describeDriver, suitePrograms } from './driver.suite.ts';
import { FakeDriver, type Script } from './fake-driver.ts';

/** What a shell would do with the programs of the suite. */
function suiteScript(job: SandboxJob): Script {
  const text = job.program.kind === 'command' ? (job.program.argv.at(-1) ?? '') : '';
  switch (text) {
    case suitePrograms.echo:
      return { result: { stdout: Buffer.from(job.stdin) }, stderr: 'done\n' };
    case suitePrograms.readFile:
      return { stdout: `${String(job.files['dir/input.txt'])}${job.env['GREETING']}` };
    case suitePrograms.exit:
      return { exitCode: 7 };
    case suitePrograms.signal:
      return { signal: 'SIGSEGV' };
    case suitePrograms.endless:
      return { stdout: 'started\n', isEndless: true };
    case suitePrograms.flood:
      return { stdout: '0'.repeat(1_000_000) };
    default:
      return { files: { 'out/made.txt': 'made', 'not.txt': 'no' } };
  }
}

describe('the fake driver', () => {
  describeDriver(() => new FakeDriver({ script: suiteScript }));
});
