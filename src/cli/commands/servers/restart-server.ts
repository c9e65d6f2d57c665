import { UnknownNameError } from '../../errors.ts';
import { openFiles, type Invocation } from '../../invocation.ts';

/** A server may take this long to start again, and each process answers when it has. */
const answerLimitMs = 60_000;

export async function restartServer(invocation: Invocation, name: string): Promise<number> {
  const { io, flags, output } = invocation;
  const { restartEverywhere } = await io.compose();
  const { processes, answers } = await output.during(
    `Waiting for "${name}" to start again`,
    restartEverywhere({ flags, env: io.env, cwd: io.cwd }, name, answerLimitMs),
  );
  const restarted = answers.filter(({ isDone }) => isDone).length;
  if (restarted === 0) {
    // A process elsewhere may know servers that this folder does not, so it is asked first.
    const known = (await openFiles(invocation)).entries.map((entry) => entry.name);
    if (!known.includes(name)) throw new UnknownNameError('server', name, known);
  }
  output.result({ name, processes, restarted, answers }, () =>
    processes === 0
      ? 'No Tutti process runs on this data directory, so there is nothing to restart.'
      : `${restarted} of ${processes} running Tutti processes restarted "${name}".`,
  );
  for (const { pid, isDone, message } of answers) {
    if (!isDone) output.note(`process ${pid}: ${message}`);
  }
  return processes > 0 && restarted < processes ? 1 : 0;
}
