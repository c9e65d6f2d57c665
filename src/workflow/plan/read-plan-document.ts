import type { Plan } from '../../contract/plan/index.ts';
import type { PlanSource } from '../../contract/run/index.ts';
import { checkData } from './check-data.ts';
import { draftOf, type Draft } from './draft-of.ts';
import { readJsonDocument } from './json-document.ts';
import type { PlanLimits } from './parse-plan.ts';
import type { PlanDocument } from './plan-document.ts';
import type { Note } from './plan-notes.ts';
import { readShape } from './shape-notes.ts';
import { checkSteps } from './step-rules.ts';
import { readYamlDocument } from './yaml-document.ts';

/** One document: a plan whose sub-plans may still be names of files. */
export interface ReadPlan {
  /** Absent when something is wrong. */
  readonly plan?: Plan;
  /** What can be checked further when something is wrong. */
  readonly draft?: Draft;
  readonly notes: readonly Note[];
  lineOf(path: readonly (string | number)[]): number | null;
}

export async function readPlanDocument(source: PlanSource, limits: PlanLimits): Promise<ReadPlan> {
  const document = await readDocument(source, limits);
  const { data } = document;
  const lineOf: ReadPlan['lineOf'] = (path) => document.lineOf(path);
  const toNote = (found: Found): Note => ({ ...found, step: found.step ?? stepAt(data, found.at) });
  const found = document.problems.map(toNote);
  if (data === undefined && found.length > 0) return { notes: found, lineOf };
  const bad = [...checkData(data, limits), ...tooManySteps(data, limits.maxSteps)].map(toNote);
  if (bad.length > 0) return { notes: [...found, ...bad], lineOf };
  const { plan, wrong } = readShape(data);
  const notes = [...found, ...[...wrong, ...checkSteps(data)].map(toNote)];
  if (notes.length === 0 && plan) return { plan, notes, lineOf };
  const draft = draftOf(data, notes);
  return { ...(draft && { draft }), notes, lineOf };
}

interface Found {
  readonly step?: string | null;
  readonly at: readonly (string | number)[];
  readonly line?: number | null;
  readonly code: string;
  readonly message: string;
}

async function readDocument(source: PlanSource, { maxBytes }: PlanLimits): Promise<PlanDocument> {
  if (source.kind === 'data') return { data: source.plan, problems: [], lineOf: () => null };
  const text = source.text.replace(/^\uFEFF/, '');
  // A character has at least one byte, so what has too many of them need not be measured.
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) {
    const message = `The plan has more than ${maxBytes} bytes. Split it into sub-plans, or hand big values in as inputs`;
    return {
      data: undefined,
      problems: [{ at: [], line: null, code: 'plan.too_large', message }],
      lineOf: () => null,
    };
  }
  if (text.trim() === '') {
    const problem = { at: [], line: 1, code: 'plan.bad_syntax', message: 'The plan is empty' };
    return { data: undefined, problems: [problem], lineOf: () => null };
  }
  const json = /^\s*[{[]/.test(text) ? readJsonDocument(text) : undefined;
  return json ?? readYamlDocument(text);
}

function tooManySteps(data: unknown, maxSteps: number): Found[] {
  const { steps } = Object(data);
  if (!Array.isArray(steps) || steps.length <= maxSteps) return [];
  const message = `The plan has ${steps.length} steps, and at most ${maxSteps} are allowed (setting workflow.max_steps). Use "forEach", or split it`;
  return [{ at: ['steps'], code: 'plan.too_many_steps', message }];
}

/** The step a path lies in, `outer/inner`; null when in none. */
function stepAt(data: unknown, at: readonly (string | number)[]): string | null {
  const ids: string[] = [];
  let value = data;
  for (const [depth, segment] of at.entries()) {
    if (typeof value !== 'object' || value === null) break;
    value = Object.getOwnPropertyDescriptor(value, segment)?.value;
    const isStep = depth % 3 === 1 && at[depth - 1] === 'steps';
    if (depth % 3 === 2 && segment !== 'plan') break;
    if (!isStep) continue;
    const { id } = Object(value);
    ids.push(typeof id === 'string' ? id : `steps[${segment}]`);
  }
  return ids.length === 0 ? null : ids.join('/');
}
