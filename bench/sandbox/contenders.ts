import { join } from 'node:path';
import {
  firstOutputCold,
  firstOutputIn,
  firstOutputOf,
  prepare,
  trivial,
  type Language,
} from './first-output.ts';
import type { Ground } from './ground.ts';

/** One way to run the trivial program. */
export interface Contender {
  readonly name: string;
  /** Of the raw spawn's time; infinite where nothing is promised. */
  readonly limit: number;
  /** Of its own time. */
  readonly limitMs?: number;
  /** Milliseconds to the first output; returns when nothing of it is left. */
  firstOutput(): Promise<number>;
}

/** The raw spawn first: the others are measured beside it. */
export function contendersOf(ground: Ground, language: Language): Contender[] {
  const command = commandOf(ground, language);
  return [
    { name: 'raw spawn', limit: 1, firstOutput: () => firstOutputOf(command) },
    {
      name: 'plain bwrap',
      limit: Infinity,
      firstOutput: () => firstOutputOf([...plainBwrap(ground), ...command]),
    },
    {
      name: 'ours, cold',
      limit: 2.5,
      firstOutput: () => firstOutputCold(ground.driver, language),
    },
    {
      name: 'ours, warm',
      limit: 0.5,
      limitMs: 10,
      firstOutput: async () => firstOutputIn(await prepare(ground.driver, language), language),
    },
    ...dockerRun(ground, language),
  ];
}

export function commandOf({ folder, programs }: Ground, language: Language): string[] {
  return [programs[language], join(folder, trivial[language].file)];
}

/** All namespaces and the whole host read-only: no filter, no limits, no folder of its own. */
function plainBwrap({ folder }: Ground): string[] {
  return [
    'bwrap',
    '--unshare-all',
    '--die-with-parent',
    ...'--ro-bind / / --proc /proc --dev /dev --chdir'.split(' '),
    folder,
  ];
}

function dockerRun({ dockerRun: run }: Ground, language: Language): Contender[] {
  if (run === undefined) return [];
  const { text } = trivial[language];
  const program = language === 'python' ? ['python3', '-c', text] : ['node', '-e', text];
  return [
    {
      name: 'docker run',
      limit: Infinity,
      firstOutput: () => firstOutputOf([...run, ...program]),
    },
  ];
}
