import { createProcessOwner, silentLog } from '../../../src/kernel/index.ts';
import { defaultLimits } from '../../../src/sandbox/limits.ts';
import { judge } from '../../../src/sandbox/choose-driver.ts';
import { createBubblewrapDriver } from '../../../src/sandbox/bubblewrap/bubblewrap-driver.ts';

/** A program of its own, because a process cannot be started twice: a run and a probe, told as JSON. */
const [runDirectory = '', script = ''] = process.argv.slice(2);
const owner = createProcessOwner({ runDirectory, log: silentLog });
const driver = createBubblewrapDriver({ owner, log: silentLog });
const toolchain = await driver.findToolchain('shell');
const limits = { ...defaultLimits, wallMs: 10_000 };
const sandbox = await driver.prepare({ toolchain, boot: 'command', mounts: [], limits });
const result = await sandbox.run(
  {
    program: { kind: 'command', argv: ['sh', '-c', script] },
    files: { given: 'given\n' },
    env: {},
    stdin: '',
    limits,
    collect: { paths: [], maxFiles: 5, maxBytes: 1_000 },
  },
  {},
);
const report = await driver.probe();
await driver.close();
await owner.close();
process.stdout.write(
  JSON.stringify({
    uid: process.getuid?.(),
    stdout: Buffer.from(result.stdout).toString(),
    files: result.files.map(({ path }) => path).sort(),
    state: report.state,
    judgement: judge(report, 'standard'),
    cpuRate: report.protections.find((row) => row.protection === 'cpu-rate')?.holder,
    notHeld: report.protections.flatMap((row) => (row.holder === 'none' ? [row.protection] : [])),
  }),
);
