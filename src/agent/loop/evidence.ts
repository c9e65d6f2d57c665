import type { RunView } from '../../contract/run/index.ts';
import { pluralize } from '../../kernel/index.ts';
import type { StepResult } from '../answer/index.ts';
import type { IsTrusted } from '../propose/index.ts';
import type { Round } from './task.ts';

/** A round whose run has ended, with what its steps returned. */
export interface EndedRound extends Round {
  readonly view: RunView;
  readonly results: readonly StepResult[];
}

interface TestRun {
  readonly kind: 'tests';
  readonly round: number;
  readonly passed: number;
  readonly failed: number;
  readonly problem?: string;
  /** Why it says less than the project's own tests would. */
  readonly partial?: string;
}

interface Findings {
  readonly kind: 'findings';
  readonly round: number;
  readonly tool: string;
  readonly count: number;
}

interface Change {
  readonly kind: 'change';
  readonly round: number;
  readonly tool: string;
  readonly id: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly diff: string;
}

/** A call of a third-party tool that is not read-only: its changes are unknown. */
interface Effect {
  readonly kind: 'effect';
  readonly round: number;
  readonly tool: string;
}

/** What Tutti itself saw happen, in order. Results of servers that are not Tutti's own prove nothing. */
export type Fact = TestRun | Findings | Change | Effect;

export function collectFacts(rounds: readonly EndedRound[], isTrusted: IsTrusted): Fact[] {
  return rounds.flatMap(({ plan, view, results }, index) =>
    inOrder(results, view).flatMap(({ step, tool, output }) => {
      if (tool === null) return [];
      const { args = {}, approval } = plan.steps.find(({ id }) => id === step) ?? {};
      if (!isTrusted(tool.split('.')[0] ?? '')) {
        return approval === undefined ? [] : [{ kind: 'effect', round: index + 1, tool } as const];
      }
      const outputs: readonly unknown[] = Array.isArray(output) ? output : [output];
      return outputs.flatMap((one) => factsOf(Object(one), { tool, args, round: index + 1 }));
    }),
  );
}

/** By time where it is known: a change counts from its end, a check from its start, so that a check sees what precedes it. */
function inOrder(results: readonly StepResult[], { steps }: RunView): readonly StepResult[] {
  const timeOf = ({ step, output }: StepResult): number => {
    const { startedAt, endedAt } = steps[step] ?? {};
    const isChange = Object(output).change_id !== undefined;
    return Date.parse((isChange ? endedAt : startedAt) ?? '');
  };
  if (results.some((result) => Number.isNaN(timeOf(result)))) return results;
  return results.toSorted((one, other) => timeOf(one) - timeOf(other));
}

interface Source {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly round: number;
}

type Output = Readonly<Record<string, unknown>>;

function factsOf(output: Output, { tool, args, round }: Source): Fact[] {
  const { passed, failed, problem, change_id: id, files, diff } = output;
  if (typeof passed === 'number' && typeof failed === 'number') {
    const partial = partialOf(args);
    return [
      {
        kind: 'tests',
        round,
        passed,
        failed,
        ...(typeof problem === 'string' && { problem }),
        ...(partial !== undefined && { partial }),
      },
    ];
  }
  if (typeof id === 'string') {
    const changed = (Array.isArray(files) ? files : []).map((file) => changedFile(Object(file)));
    const text = typeof diff === 'string' ? diff : '';
    return [{ kind: 'change', round, tool, id, files: changed, diff: text }];
  }
  const count = output['issues_total'] ?? output['findings_total'];
  return typeof count === 'number' ? [{ kind: 'findings', round, tool, count }] : [];
}

/** Tests of replaced files, or a choice of tests, do not show that the project's tests pass. */
function partialOf({ files, filter }: Source['args']): string | undefined {
  if (typeof files === 'object' && files !== null && Object.keys(files).length > 0) {
    return 'with files the model supplied, not the project as it is';
  }
  return typeof filter === 'string' ? `only tests matching "${filter}"` : undefined;
}

function changedFile({ path, action, added, removed }: Output): Change['files'][number] {
  const counts = typeof added === 'number' ? ` (+${added} −${Number(removed)})` : '';
  const verb = typeof action === 'string' ? `${action} ` : '';
  return { path: String(path), text: `${verb}${String(path)}${counts}` };
}

/** Why the work does not count as verified; undefined where a check after the last change came out clean. */
export function findDoubt(facts: readonly Fact[]): string | undefined {
  const isTested = facts.some(({ kind }) => kind === 'tests');
  const lastChange = facts.findLastIndex(
    ({ kind }) => kind === 'change' || (kind === 'effect' && isTested),
  );
  const checks = facts.slice(lastChange + 1);
  const tests = checks.findLast((fact) => fact.kind === 'tests');
  if (tests) {
    const total = tests.passed + tests.failed;
    if (tests.failed > 0) return `the last test run failed ${tests.failed} of ${total}.`;
    if (tests.problem !== undefined) return `the last test run failed: ${tests.problem}.`;
    if (total === 0) return 'the last test run ran no tests.';
    return tests.partial === undefined ? undefined : `the last test run was ${tests.partial}.`;
  }
  if (lastChange < 0) return undefined;
  const findings = checks.findLast((fact) => fact.kind === 'findings');
  if (!findings) return 'no tests ran after the last change.';
  if (findings.count === 0) return undefined;
  return `${pluralize(findings.count, 'finding')} left by ${findings.tool} after the last change.`;
}

/** Whether the last test run failed: such a task did not succeed, whatever the model says. */
export function hasFailingTests(facts: readonly Fact[]): boolean {
  const tests = facts.findLast((fact) => fact.kind === 'tests');
  return tests !== undefined && (tests.failed > 0 || tests.problem !== undefined);
}
