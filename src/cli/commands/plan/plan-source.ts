import { resolve } from 'node:path';
import type { PlanSource } from '../../../contract/run/index.ts';
import type { Io } from '../../io.ts';
import { readInput } from '../../read-input.ts';

/** The plan in a file, or on standard input when the name is `-`; its sub-plans lie beside the file. */
export async function readPlanSource(name: string, io: Io): Promise<PlanSource> {
  const text = await readInput(name, io);
  return { kind: 'text', text, ...(name !== '-' && { file: resolve(io.cwd, name) }) };
}
