import { reservedRoots, type Plan } from '../../contract/plan/index.ts';
import { nearest } from '../../kernel/index.ts';
import { formatReference, type Reference } from './reference.ts';

/** Which names, besides steps, `input` and `run`, mean something at a place. */
export interface Scope {
  readonly hasItem?: boolean;
  /** The answer of a lookup, where nothing else is known. */
  readonly isOfResult?: boolean;
}

/** Looking for the nearest name takes time for each that there is. */
const maxHints = 10;

export type RootCheck = (
  reference: Reference,
  scope: Scope,
) => { readonly code: string; readonly message: string } | undefined;

/** Says what is wrong with what a reference starts with: a step, or an input, that is not there. */
export function createRootCheck(plan: Plan, around?: Plan): RootCheck {
  const ids = new Set(plan.steps.map(({ id }) => id));
  const inputs = inputsOf(plan);
  let hints = 0;
  return (reference, scope) => {
    const { root } = reference;
    if (scope.isOfResult === true) {
      if (root === 'result') return undefined;
      return unknown(
        `${formatReference(reference)} is not known here: there is only what the lookup gave, \${result…}`,
      );
    }
    if (ids.has(root)) return undefined;
    const shown = formatReference(reference);
    if (root === 'input') return inputProblem(reference, inputs);
    if (root === 'run') return runProblem(reference);
    if (root === 'item' || root === 'index') {
      if (scope.hasItem === true) return undefined;
      return unknown(
        `${shown} means something only in "args", "input" or what is asked (approval.message) of a step with "forEach"`,
      );
    }
    if (root === 'result') {
      return unknown(`${shown} means something only in "happened" and "output" of "reconcile"`);
    }
    const [first] = reference.path;
    if (root === 'steps' && ids.has(String(first))) {
      return unknown(`${shown} begins with the id of the step alone: \${${String(first)}…}`);
    }
    hints += 1;
    if (hints <= maxHints && around?.steps.some(({ id }) => id === root) === true) {
      return unknown(
        `${shown} refers to a step outside of this sub-plan, which knows nothing but its own inputs and steps. Declare an input, and hand the value in with "input"`,
      );
    }
    const meant = hints > maxHints ? undefined : nearest(root, [...ids, ...reservedRoots]);
    const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
    return unknown(
      `${shown} refers to a step "${root}", and there is none.${hint} A literal "\${" is written "$\${"`,
    );
  };
}

/** Of more, the nearest is not looked for among the rest. */
const maxShownInputs = 20;

interface Inputs {
  readonly names: ReadonlySet<string>;
  readonly shown: readonly string[];
  readonly known: string;
}

function inputsOf({ input = {} }: Plan): Inputs {
  const names = Object.keys(input);
  const shown = names.slice(0, maxShownInputs);
  const more = names.length > shown.length ? ', …' : '';
  const known = names.length === 0 ? 'declares no inputs' : `declares ${shown.join(', ')}${more}`;
  return { names: new Set(names), shown, known };
}

function inputProblem({ path: [name] }: Reference, inputs: Inputs) {
  if (name === undefined || inputs.names.has(String(name))) return undefined;
  const meant = nearest(String(name), inputs.shown);
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  const { known } = inputs;
  return {
    code: 'plan.unknown_input',
    message: `There is no input "${name}": the plan ${known}.${hint} Inputs are declared under "input"`,
  };
}

function runProblem(reference: Reference) {
  const [first, ...rest] = reference.path;
  if (first === 'id' && rest.length === 0) return undefined;
  return unknown(`${formatReference(reference)} is not known: of a run there is \${run.id}`);
}

function unknown(message: string) {
  return { code: 'plan.unknown_reference', message };
}
