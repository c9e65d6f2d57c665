import type { Reference, Template } from '../plan/index.ts';
import { describeMissing } from './describe-missing.ts';
import type { Locals, PlanTypes } from './plan-types.ts';
import type { Finding } from './problems.ts';
import type { TestPattern } from './schema/test-pattern.ts';
import type { ToolLookup } from './tool-lookup.ts';

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
  readonly limits: CheckLimits;
  readonly policy: ApprovalPolicy;
  readonly testPattern: TestPattern;
  readonly describeUnknownTool: (name: string) => string;
  /** `outer/` */
  readonly prefix: string;
  /** Where the plan stands in the document. */
  readonly at: readonly (string | number)[];
  report(finding: Finding): void;
  /** So many mistakes were found that no more are told. */
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
