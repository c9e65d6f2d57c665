import type { EngineName } from '../contract/run/index.ts';
import { UnknownNameError } from './errors.ts';
import { textOption, type Invocation } from './invocation.ts';

const engines: readonly EngineName[] = ['embedded', 'restate'];

/** The value of `--engine`; undefined when the setting decides. */
export function engineOption(invocation: Invocation): EngineName | undefined {
  const name = textOption(invocation, 'engine');
  if (name === undefined) return undefined;
  const engine = engines.find((known) => known === name);
  if (engine === undefined) throw new UnknownNameError('engine', name, engines);
  return engine;
}
