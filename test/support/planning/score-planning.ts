import type { PlanningAnswer } from '../../../src/agent/planner/index.ts';
import type { PlanningCase } from './planning-requests.ts';

/**
 * right: what a careful person would do comes first · among: a later reading is · asked: a question without it ·
 * refused: a refusal instead of it · wrong: readings or a plan with other tools.
 */
export type Score = 'right' | 'among' | 'asked' | 'refused' | 'wrong';

/** Compares by the names of the tools alone, where no plans are given; optional ones may be there or not. */
export function scorePlanning(one: PlanningCase, answer: PlanningAnswer): Score {
  if (one.category === 'about') return answer.kind === 'about' ? 'right' : missed(answer);
  if (one.expect === 'refuse') return answer.kind === 'refusal' ? 'right' : missed(answer);
  if (one.expect === 'clarify') {
    const isOffered = answer.kind === 'plan' && answer.candidates.length > 1;
    return answer.kind === 'question' || isOffered ? 'right' : missed(answer);
  }
  if (answer.kind === 'about' && one.mayAnswer) return 'right';
  if (answer.kind === 'refusal' || answer.kind === 'about') return 'refused';
  const at = answer.candidates.findIndex((candidate) =>
    one.plans.length > 0 ? isWanted(one, candidate) : isGold(one, toolsOf(candidate)),
  );
  if (at === 0) return answer.kind === 'plan' ? 'right' : 'among';
  return at > 0 ? 'among' : missed(answer);
}

function missed({ kind }: PlanningAnswer): Score {
  if (kind === 'question') return 'asked';
  return kind === 'plan' ? 'wrong' : 'refused';
}

/** One plan, shown without any sign of doubt, that is not what was asked for. */
export function isSurelyWrong(one: PlanningCase, answer: PlanningAnswer): boolean {
  if (answer.kind !== 'plan' || answer.candidates.length > 1) return false;
  return scorePlanning(one, answer) !== 'right';
}

interface Planned {
  readonly plan: {
    readonly steps: readonly {
      readonly tool?: string | undefined;
      readonly args?: Readonly<Record<string, unknown>> | undefined;
    }[];
  };
}

export function toolsOf({ plan }: Planned): readonly string[] {
  return plan.steps.map(({ tool }) => tool?.split('.').at(-1) ?? '');
}

/** The same steps in any order, each with at least the arguments that are wanted; files may be read besides. */
function isWanted({ plans }: PlanningCase, { plan }: Planned): boolean {
  return plans.some((wanted) => {
    const isReading = wanted.some(({ tool }) => tool === 'workspace.read_file');
    const left = plan.steps.filter(({ tool }) => isReading || tool !== 'workspace.read_file');
    if (left.length !== wanted.length) return false;
    return wanted.every(({ tool, args }) => {
      const at = left.findIndex(
        (step) =>
          step.tool === tool &&
          Object.entries(args).every(([name, value]) => isValue([name, value], flat(step)[name])),
      );
      return at >= 0 && left.splice(at, 1).length === 1;
    });
  });
}

/** A list of one change is that change. */
function flat({ args = {} }: Planned['plan']['steps'][number]): Readonly<Record<string, unknown>> {
  const { changes } = args;
  return Array.isArray(changes) && changes.length === 1 ? { ...args, ...changes[0] } : args;
}

function isValue([name, wanted]: readonly [string, unknown], found: unknown): boolean {
  const plain = (value: unknown): string =>
    (typeof value === 'string' ? value : JSON.stringify(value)).toLowerCase();
  const trimmed = (value: unknown): string =>
    plain(value)
      .replace(/^\.\//u, '')
      .replace(/(?<=.)\/+$/u, '');
  if (found === undefined) return name === 'path' && wanted === '.';
  if (Array.isArray(wanted)) return plain(wanted) === plain([found].flat());
  if (isObject(wanted) && !('contains' in wanted))
    return Object.entries(wanted).every((member) => isValue(member, Object(found)[member[0]]));
  if (isObject(wanted)) return plain(found).includes(plain(wanted['contains']));
  return [found].flat().length === 1 && trimmed([found].flat()[0]) === trimmed(wanted);
}

/** The same deed under another name. */
const same: Readonly<Record<string, string>> = { write_file: 'apply_changes' };

function isGold(one: PlanningCase, tools: readonly string[]): boolean {
  const plain = (tool: string): string => same[tool] ?? tool;
  // Tools of ours take the path itself, so reading the file first is never wrong and never needed.
  const optional = new Set([...one.optional, 'read_file'].map(plain));
  const isReading = one.accept.some((accepted) => accepted.includes('read_file'));
  const listed = (names: readonly string[]): string =>
    names
      .map(plain)
      .filter((tool) => !optional.has(tool))
      .toSorted()
      .join();
  if (isReading && listed(tools) === '') return tools.includes('read_file');
  return one.accept.some((accepted) => listed(accepted) === listed(tools));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
