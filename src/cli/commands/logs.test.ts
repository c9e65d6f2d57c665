import { expect, it } from 'vitest';
import { aPlace } from '../../../testkit/cli/a-place.ts';

const lines = [
  {
    time: '2026-01-01T00:00:00.000Z',
    level: 'info',
    pid: 7,
    msg: 'server started',
    server: 'code',
  },
  {
    time: '2026-01-01T00:00:01.000Z',
    level: 'warn',
    pid: 7,
    traceId: 'f46961a1d966468fe1db36ecf60ff26c',
    spanId: 'b7ad6b7169203331',
    msg: 'run let go',
    runId: 'abc1',
    error: { message: 'a\u001B[31m b' },
  },
];
const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');

function place() {
  const parts = { files: { 'logs/tutti.log': text } };
  const made = aPlace({ ...parts, user: '' });
  made.write(
    made.userFile,
    `logging: { file: "${made.base}/logs/tutti.log" }\nhome: "${made.base}/data"\n`,
  );
  return made;
}

it('shows the latest lines, one line each, with nothing that moves the cursor', async () => {
  const { stdout, exitCode } = await place().run('logs');
  expect(exitCode).toBe(0);
  expect(stdout).toBe(
    '2026-01-01T00:00:00.000Z  info   server started  server=code\n' +
      '2026-01-01T00:00:01.000Z  warn   run let go  traceId=f46961a1 runId=abc1 error={"message":"a\\u001b[31m b"}\n',
  );
});

it.each([
  ['logs --level WARN', ['run let go']],
  ['logs --level warning', ['run let go']],
  ['logs --server code', ['server started']],
  ['logs --trace f469', ['run let go']],
  ['logs --run abc -n 1', ['run let go']],
  ['logs --since 2026-01-01T00:00:01Z', ['run let go']],
  ['logs --since 1h', []],
])('%s', async (line, expected) => {
  const { stdout, exitCode } = await place().run(`${line} --json`);
  expect(exitCode).toBe(0);
  expect((JSON.parse(stdout) as { msg: string }[]).map(({ msg }) => msg)).toEqual(expected);
});

it.each([
  ['logs --level loud', 'There is no level "loud"'],
  ['logs --since yesterday', '--since wants a duration'],
  ['logs --server http://127.0.0.1:8004', 'on the machine itself'],
  ['logs level', 'LEVEL is missing'],
  ['logs level loud', 'There is no level "loud"'],
  ['logs level debug -f', 'does not take --follow'],
  ['logs level debug --server code', 'takes no --server'],
])('refuses %s', async (line, complaint) => {
  const { stderr, exitCode } = await place().run(line);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(complaint);
});

it('says when no process serves whose level could be set', async () => {
  const { stderr, exitCode } = await place().run('logs level debug');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('No process serves on this data directory');
});
