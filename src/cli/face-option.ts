import { UsageError } from './errors.ts';
import type { Invocation } from './invocation.ts';
import type { Face } from './system.ts';

/** `--compact` or `--all`: how many of the tools clients see; `auto` when neither was given. */
export function faceOption({ options }: Invocation): Face {
  if (options['compact'] === true && options['all'] === true) {
    throw new UsageError('--compact and --all exclude each other');
  }
  if (options['compact'] === true) return 'compact';
  return options['all'] === true ? 'all' : 'auto';
}
