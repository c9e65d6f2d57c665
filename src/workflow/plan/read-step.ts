import { type Json, type Step, reservedRoots, type Plan } from '../../contract/plan/index.ts';
import { AppError, nearest, lookupTable } from '../../kernel/index.ts';
import { parseCondition, type Condition } from './condition.ts';
import { type Reference, formatReference } from './reference.ts';
import type { Note, PlanPlace } from './step-rules.ts';
import { parseTemplate, readTemplate, type Template } from './template.ts';

/** A step with its references found. */
export interface ReadStep {
  readonly step: Step;
  readonly index: number;
  readonly needs: readonly number[];
  readonly when: Condition | undefined;
  readonly forEach: Template | undefined;
  readonly message: Template | undefined;
  readonly args: Template;
  readonly reconcileArgs: Template | undefined;
  readonly input: Template;
  readonly duration: Template;
}

interface StepContext {
  readonly index: number;
  readonly place: PlanPlace;
  /** Index of every step, by id. */
  readonly indexes: ReadonlyMap<string, number>;
  readonly checkRoot: RootCheck;
  readonly note: (note: Note) => void;
}

export function readStep(step: Step, context: StepContext): ReadStep {
  const needs = new Set<number>();
  const reader: FieldReader = { ...context, step, needs };
  const inItems: Scope = { hasItem: step.forEach !== undefined };
  const { reconcile } = step;
  if (reconcile) {
    readWhen(reader, ['reconcile', 'happened'], reconcile.happened);
    readField(reader, { field: ['reconcile', 'output'], scope: afterLookup }, reconcile.output);
  }
  readFixedTexts(reader);
  return {
    step,
    index: context.index,
    when: step.when === undefined ? undefined : readWhen(reader, ['when'], String(step.when)),
    forEach: step.forEach === undefined ? undefined : readForEach(reader, step.forEach),
    message: readMessage(reader, inItems),
    args: readField(reader, { field: ['args'], scope: inItems }, step.args ?? {}),
    reconcileArgs:
      reconcile &&
      readField(reader, { field: ['reconcile', 'args'], scope: inItems }, reconcile.args),
    input: readField(reader, { field: ['input'], scope: inItems }, step.input ?? {}),
    duration: readDuration(reader, inItems),
    needs: [...needs],
  };
}

interface FieldReader extends StepContext {
  readonly step: Step;
  readonly needs: Set<number>;
}

interface Field {
  readonly field: readonly string[];
  readonly scope: Scope;
}

const afterLookup: Scope = { isOfResult: true };
const empty = parseTemplate({});

function readField(
  reader: FieldReader,
  { field, scope }: Field,
  source: Json | undefined,
): Template {
  if (source === undefined) return empty;
  const { template, problems } = readTemplate(source);
  for (const { at, message } of problems) {
    noteAt(reader, [...field, ...at], { code: 'plan.bad_reference', message });
  }
  for (const { at, reference } of template.places) {
    use(reader, { field: [...field, ...at], scope }, reference);
  }
  return template;
}

function readWhen(
  reader: FieldReader,
  field: readonly string[],
  text: string,
): Condition | undefined {
  const scope = field[0] === 'reconcile' ? afterLookup : {};
  try {
    const condition = parseCondition(text);
    for (const reference of condition.references) use(reader, { field, scope }, reference);
    return condition;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    noteAt(reader, field, { code: error.code, message: error.message });
    return undefined;
  }
}

function readForEach(reader: FieldReader, source: string | Json[]): Template {
  const template = readField(reader, { field: ['forEach'], scope: {} }, source);
  if (typeof source === 'string' && template.node.kind !== 'whole') {
    noteAt(reader, ['forEach'], {
      code: 'plan.wrong_value',
      message: '"forEach" wants a list, or one reference to a list such as ${step.items}',
    });
  }
  return template;
}

function readDuration(reader: FieldReader, scope: Scope): Template {
  const { sleep } = reader.step;
  const template = readField(reader, { field: ['sleep'], scope }, sleep);
  if (
    sleep !== undefined &&
    template.references.length === 0 &&
    parseDuration(sleep) === undefined
  ) {
    noteAt(reader, ['sleep'], {
      code: 'plan.wrong_value',
      message: `"sleep" wants milliseconds or a text such as 500ms, 30s, 5m, 2h, 1d, and got "${sleep}"`,
    });
  }
  return template;
}

function readMessage(reader: FieldReader, scope: Scope): Template | undefined {
  const { approval } = reader.step;
  const message = typeof approval === 'object' ? approval.message : undefined;
  if (message === undefined) return undefined;
  return readField(reader, { field: ['approval', 'message'], scope }, message);
}

/** Names of signals are given from outside, so they hold no references. */
function readFixedTexts(reader: FieldReader): void {
  const { wait, tool } = reader.step;
  const signal = typeof wait === 'object' ? wait.signal : wait;
  const field = typeof wait === 'object' ? ['wait', 'signal'] : ['wait'];
  for (const [at, text] of [[field, signal] as const, [['tool'], tool] as const]) {
    if (text?.includes('${') !== true) continue;
    const message = `"${at.at(-1)}" is a fixed name: references are not filled in here`;
    noteAt(reader, at, { code: 'plan.bad_reference', message });
  }
}

function use(reader: FieldReader, { field, scope }: FieldPlace, reference: Reference): void {
  const wrong = reader.checkRoot(reference, scope);
  if (wrong) noteAt(reader, field, wrong);
  const index = scope.isOfResult === true ? undefined : reader.indexes.get(reference.root);
  if (index !== undefined) reader.needs.add(index);
}

interface FieldPlace {
  readonly field: readonly (string | number)[];
  readonly scope: Scope;
}

function noteAt(
  { step, index, place, note }: FieldReader,
  field: readonly (string | number)[],
  wrong: { readonly code: string; readonly message: string },
): void {
  const at = [...place.at, 'steps', index, ...field];
  note({ step: `${place.steps}${step.id}`, at, ...wrong });
}

/** Which names, besides steps, `input` and `run`, mean something at a place. */
interface Scope {
  readonly hasItem?: boolean;
  /** The answer of a lookup, where nothing else is known. */
  readonly isOfResult?: boolean;
}

/** Looking for the nearest name takes time for each that there is. */
const maxHints = 10;

type RootCheck = (
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

const unitsMs: Readonly<Record<string, number>> = lookupTable({
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
});

/** Ten years: more is a mistake with the unit. */
const maxMs = 315_360_000_000;

/** Milliseconds of a number of them or a text such as `90s`; undefined when it is neither. */
export function parseDuration(value: Json): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const match = /^\s*(\d{1,12}(?:\.\d{1,6})?)\s*(ms|s|m|h|d)?\s*$/.exec(String(value));
  if (!match) return undefined;
  const ms = Math.round(Number(match[1]) * (unitsMs[match[2] ?? 'ms'] ?? 1));
  return ms <= maxMs ? ms : undefined;
}
