import type { Json, Plan, Step } from '../../../contract/plan/index.ts';
import { formatReference } from '../../plan/index.ts';
import { readReference } from '../../plan/reference.ts';

/** New ids by old ones. */
export type Renames = ReadonlyMap<string, string>;

/** The step with its references pointing at the new ids. What is within a sub-plan has a world of its own. */
export function renameInStep(step: Step, renames: Renames): Step {
  if (renames.size === 0) return step;
  const { args, input, when, forEach, sleep, reconcile, approval } = step;
  return {
    ...step,
    ...(args && { args: renameFields(args, renames) }),
    ...(input && { input: renameFields(input, renames) }),
    ...(typeof when === 'string' && { when: renameInText(when, renames) }),
    ...(typeof sleep === 'string' && { sleep: renameInText(sleep, renames) }),
    ...(typeof forEach === 'string' && { forEach: renameInText(forEach, renames) }),
    ...(Array.isArray(forEach) && { forEach: forEach.map((item) => renameInValue(item, renames)) }),
    ...(typeof approval === 'object' &&
      approval.message !== undefined && {
        approval: { ...approval, message: renameInText(approval.message, renames) },
      }),
    // The rest of it refers to nothing but what the lookup gave.
    ...(reconcile && { reconcile: { ...reconcile, args: renameFields(reconcile.args, renames) } }),
  };
}

export function renameInOutput(output: Plan['output'], renames: Renames): Plan['output'] {
  return output === undefined ? undefined : renameInValue(output, renames);
}

/** Values of plans are nested to a limited depth, which limits the recursion. */
function renameInValue(value: Json, renames: Renames): Json {
  if (typeof value === 'string') return renameInText(value, renames);
  if (Array.isArray(value)) return value.map((item) => renameInValue(item, renames));
  return typeof value === 'object' && value !== null ? renameFields(value, renames) : value;
}

function renameFields(
  fields: Readonly<Record<string, Json>>,
  renames: Renames,
): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, renameInValue(value, renames)]),
  );
}

function renameInText(text: string, renames: Renames): string {
  let renamed = '';
  let done = 0;
  for (let at = text.indexOf('${'); at >= 0; at = text.indexOf('${', Math.max(done, at + 2))) {
    if (at > done && text[at - 1] === '$') {
      renamed += text.slice(done, at + 2);
      done = at + 2;
      continue;
    }
    const read = readReference(text, at + 2);
    if ('problem' in read) continue;
    const root = renames.get(read.reference.root);
    renamed += text.slice(done, at);
    renamed +=
      root === undefined ? text.slice(at, read.end) : formatReference({ ...read.reference, root });
    done = read.end;
  }
  return renamed + text.slice(done);
}
