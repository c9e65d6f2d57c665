import { readFile } from 'node:fs/promises';
import { ownFile } from '../../../../kernel/index.ts';

/** The text of a program of ours that runs tests inside the sandbox. */
export function readRunner(name: string): Promise<string> {
  return readFile(ownFile(`toolbox/exec/tests/runners/${name}`), 'utf8');
}
