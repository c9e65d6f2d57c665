import type { Json, Step } from '../../contract/plan/index.ts';
import { AppError } from '../../kernel/index.ts';
import { parseCondition, type Condition } from './condition.ts';
import { parseDuration } from './duration.ts';
import type { Note, PlanPlace } from './plan-notes.ts';
import type { Reference } from './reference.ts';
import type { RootCheck, Scope } from './root-check.ts';
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

export interface StepContext {
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
