import type { PlanProblem } from '../../contract/plan/index.ts';
import { nearest } from '../../kernel/index.ts';
import { type Reference, type Template, formatPath, formatReference } from '../plan/index.ts';
import type { KnownAgent } from './check-delegation.ts';
import type { Locals, PlanTypes, ToolLookup } from './plan-types.ts';
import type { Followed } from './schema/follow-type.ts';
import { show, showChoices } from './schema/schema-node.ts';
import type { TestPattern } from './schema/test-pattern.ts';

export interface CheckLimits {
  /** Steps of a plan, those of its sub-plans included. */
  readonly maxSteps: number;
  /** Elements one `forEach` may go through. */
  readonly maxItems: number;
}

/** Calls that need approval beside those where the plan asks for it. */
export type ApprovalPolicy = 'plan' | 'destructive' | 'effects';

/** One plan, or plan within a plan, while it is checked. */
export interface Checking {
  readonly types: PlanTypes;
  readonly tools: ToolLookup;
  /** Undefined where the plan has no steps of agents, or agents are not known. */
  readonly agents: readonly KnownAgent[] | undefined;
  readonly limits: CheckLimits;
  readonly policy: ApprovalPolicy;
  readonly testPattern: TestPattern;
  readonly describeUnknownTool: (name: string) => string;
  /** `outer/` */
  readonly prefix: string;
  /** Where the plan stands in the document. */
  readonly at: readonly (string | number)[];
  report(finding: Finding): void;
  /** The limit of reported mistakes is reached. */
  isFull(): boolean;
}

/** Says what is wrong at a place within a step. */
export type StepReport = (
  at: readonly (string | number)[],
  finding: Omit<Finding, 'step' | 'at'>,
) => void;

/** Where in a plan a template or condition is checked. */
export interface StepPlace {
  readonly locals: Locals;
  readonly checking: Checking;
  readonly report: StepReport;
}

/** A plan within a plan belongs to the step that runs it. */
export function ownStep({ prefix }: Checking): string | null {
  return prefix === '' ? null : prefix.slice(0, -1);
}

export function checkReferences(
  template: Template,
  { field, ...place }: StepPlace & { readonly field: readonly (string | number)[] },
): void {
  for (const { at, reference } of template.places)
    checkReference(reference, [...field, ...at], place);
}

/** A field the schema rules out is an error; one it only does not name is a warning. */
export function checkReference(
  reference: Reference,
  at: readonly (string | number)[],
  { checking, locals, report }: StepPlace,
): void {
  const followed = checking.types.follow(reference, locals);
  if (followed.is === 'found') return;
  // What a run does not have was found when the references were read.
  if (reference.root === 'run') return;
  report(at, {
    code: 'plan.unknown_output',
    message: describeMissing(reference, followed),
    ...(followed.is === 'unlisted' && { severity: 'warning' }),
  });
}

/** Of each severity; more are not reported. */
export const maxProblems = 200;

/** Where the nearest thing lies that holds this place; the line is null when there is no file. */
export type PlaceOf = (path: string) => {
  /** As it was written, where that is another one. */
  readonly path?: string;
  readonly line: number | null;
  readonly file?: string;
};

export interface Finding {
  readonly step: string | null;
  readonly at: readonly (string | number)[];
  readonly code: `plan.${string}`;
  readonly message: string;
  readonly severity?: PlanProblem['severity'];
}

/** Collects what is wrong, each once, up to a limit. */
export class Problems {
  readonly #placeOf: PlaceOf;
  readonly #found: PlanProblem[] = [];
  readonly #seen = new Set<string>();
  readonly #counts = { error: 0, warning: 0 };

  constructor(placeOf: PlaceOf) {
    this.#placeOf = placeOf;
  }

  add({ step, at, code, message, severity = 'error' }: Finding): void {
    if (this.#counts[severity] >= maxProblems) return;
    const path = formatPath(at);
    const key = `${path}\n${code}\n${message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#counts[severity] += 1;
    this.#found.push({ step, path, ...this.#placeOf(path), code, message, severity });
  }

  /** Looking for more would be in vain. */
  get isFull(): boolean {
    return this.#counts.error >= maxProblems;
  }

  /** Errors first, each kind in the order it was found. */
  all(): readonly PlanProblem[] {
    return [
      ...this.#found.filter((problem) => problem.severity === 'error'),
      ...this.#found.filter((problem) => problem.severity === 'warning'),
    ];
  }
}

/** The sentence about a reference to a field that is not there. */
function describeMissing(
  reference: Reference,
  { length, known, within, is }: Exclude<Followed, { is: 'found' }>,
): string {
  const key = reference.path[length - 1] ?? '';
  const holder = formatReference({
    root: reference.root,
    path: reference.path.slice(0, length - 1),
  });
  const start = `${formatReference(reference)} leads to nothing: ${holder}`;
  if (within === 'a list' && typeof key === 'string') {
    return `${start} is a list and has no field ${show(key)}. Use a number such as [0], or forEach for all of its elements`;
  }
  if (known.length === 0)
    return `${start} is ${within} and has no ${typeof key === 'number' ? `element ${key}` : `field ${show(key)}`}`;
  const close = nearest(String(key), known);
  const hint = close === undefined ? `It has: ${showChoices(known)}` : `Did you mean "${close}"?`;
  return is === 'absent'
    ? `${start} has no field ${show(key)}. ${hint}`
    : `${formatReference(reference)} may lead to nothing: the output schema of ${holder} does not name a field ${show(key)}. ${hint}`;
}

const maxNames = 12;
/** Looking for the nearest name takes time for each tool there is. */
const maxHints = 20;

/** Makes the sentence about a tool that is not there, with the name that was most likely meant. */
export function createUnknownToolDescription(tools: ToolLookup): (name: string) => string {
  const described = new Map<string, string>();
  return (name) => {
    const known = described.get(name);
    if (known !== undefined) return known;
    const message = describeUnknownTool(name, tools, described.size < maxHints);
    described.set(name, message);
    return message;
  };
}

function describeUnknownTool(name: string, tools: ToolLookup, hasHint: boolean): string {
  const [server = ''] = name.split('.', 1);
  const failure = tools.failureOf?.(server);
  if (failure !== undefined) {
    return `The tools of server "${server}" could not be listed, so "${name}" cannot be checked: ${failure}. See "tutti servers"`;
  }
  if (!hasHint) return `There is no tool "${name}". "tutti tools" lists what there is`;
  const names = tools.names();
  const close =
    nearest(name.replaceAll('__', '.'), names) ?? names.find((other) => other.endsWith(`.${name}`));
  if (close !== undefined) return `There is no tool "${name}". Did you mean "${close}"?`;
  const siblings = names.filter((other) => other.startsWith(`${server}.`)).slice(0, maxNames);
  return siblings.length > 0
    ? `There is no tool "${name}". Server "${server}" has: ${siblings.join(', ')}`
    : `There is no tool "${name}", and no server "${server}". "tutti tools" lists what there is`;
}
