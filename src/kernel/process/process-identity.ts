import { startOfProcess } from './list-processes.ts';
import { machineName } from './owner-record.ts';

/** A process, told from every other one that had or will have its pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The machine (and container) whose pid this is, and when the process started there. */
  readonly processStart: string;
}

/** Between the machine and the start, which both may hold blanks. */
const separator = '|';

export async function ownIdentity(): Promise<ProcessIdentity> {
  const startedAt = await startOfProcess(process.pid);
  return { pid: process.pid, processStart: `${machineName()}${separator}${startedAt ?? ''}` };
}

/** True only when it is certain: of a process on another machine, or whose start is not known, it never is. */
export async function isGone({ pid, processStart }: ProcessIdentity): Promise<boolean> {
  const [machine, startedAt] = processStart.split(separator);
  if (machine !== machineName() || startedAt === undefined || startedAt === '') return false;
  return (await startOfProcess(pid)) !== startedAt;
}
