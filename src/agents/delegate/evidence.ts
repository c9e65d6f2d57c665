import type { DelegationResult, Evidence, DoneCheck } from '../../contract/agents/index.ts';
import type { RunView, StepView } from '../../contract/run/index.ts';
import { recordOf } from '../../kernel/index.ts';

/** What our own tools said in the outputs of a run. What an agent, a model or another server claims is not looked at. */
export type Seen = Pick<DelegationResult, 'findings' | 'changes' | 'artifacts' | 'evidence'> & {
  readonly facts: readonly Fact[];
};

type Fact =
  | {
      readonly kind: 'tests';
      readonly passed: number;
      readonly failed: number;
      readonly problem: boolean;
    }
  | { readonly kind: 'verified'; readonly isVerified: boolean }
  | { readonly kind: 'findings'; readonly count: number }
  | { readonly kind: 'change' };

const maxShown = 5;
const maxTextChars = 200;
const maxOutputs = 1_000;

interface SeenStep {
  readonly step: string;
  readonly tool: string;
  readonly view: StepView;
}

/** By time: a check counts for the changes that ended before it began. */
export function seeEvidence(views: readonly RunView[], isOwn: (tool: string) => boolean): Seen {
  const steps = views
    .flatMap(({ steps }) =>
      Object.entries(steps).flatMap(([step, view]): SeenStep[] =>
        view.tool !== undefined && view.status === 'succeeded' && isOwn(view.tool)
          ? [{ step, tool: view.tool, view }]
          : [],
      ),
    )
    .sort((a, b) => (a.view.endedAt ?? '').localeCompare(b.view.endedAt ?? ''));
  const seen: Mutable = { findings: [], changes: [], artifacts: [], evidence: [], facts: [] };
  for (const one of steps) {
    const { step, tool, view } = one;
    if (view.stored) seen.artifacts.push({ step, id: view.stored.id, bytes: view.stored.bytes });
    const outputs = Array.isArray(view.output) ? view.output.slice(0, maxOutputs) : [view.output];
    const before = seen.evidence.length;
    for (const output of outputs) see(recordOf(output), one, seen);
    if (seen.evidence.length === before) {
      seen.evidence.push({ kind: 'ran', step, tool, text: cut(view.text ?? 'succeeded') });
    }
  }
  return seen;
}

interface Mutable {
  readonly findings: Seen['findings'];
  readonly changes: Seen['changes'];
  readonly artifacts: Seen['artifacts'];
  readonly evidence: Evidence[];
  readonly facts: Fact[];
}

type Output = Readonly<Record<string, unknown>>;

function see(output: Output, { step, tool }: SeenStep, seen: Mutable): void {
  // What another agent saw counts as far as it was seen there.
  if (tool === 'agent.delegate') return seeDelegated(output, step, seen);
  const { passed, failed, problem, change_id: id, verified, level } = output;
  if (typeof passed === 'number' && typeof failed === 'number') {
    const isProblem = typeof problem === 'string' && problem !== '';
    seen.facts.push({ kind: 'tests', passed, failed, problem: isProblem });
    const text = `${passed} passed, ${failed} failed${isProblem ? `; ${problem}` : ''}`;
    seen.evidence.push({ kind: 'tests', step, tool, text: cut(text) });
  }
  if (typeof verified === 'boolean') {
    seen.facts.push({ kind: 'verified', isVerified: verified });
    seen.evidence.push({
      kind: 'verified',
      step,
      tool,
      text: `level ${typeof level === 'string' ? level : 'unknown'}`,
    });
  }
  if (typeof id === 'string') {
    const files = listOf(output['files']).map((file) => cut(String(recordOf(file)['path'])));
    seen.facts.push({ kind: 'change' });
    seen.changes.push({ step, id, files });
    seen.evidence.push({ kind: 'change', step, tool, text: cut(`${id}: ${files.join(', ')}`) });
  }
  const listed = listOf(output['issues'] ?? output['findings'] ?? output['vulnerabilities']);
  const total = output['issues_total'] ?? output['findings_total'] ?? output['findingsTotal'];
  const isList = Array.isArray(output['vulnerabilities']);
  const count = typeof total === 'number' ? total : isList ? listed.length : undefined;
  if (count === undefined) return;
  seen.facts.push({ kind: 'findings', count });
  seen.findings.push({ step, tool, count, top: listed.slice(0, maxShown).map(sayFinding) });
  seen.evidence.push({ kind: 'findings', step, tool, text: `${count} found` });
}

function seeDelegated(output: Output, step: string, seen: Mutable): void {
  for (const one of listOf(output['evidence'])) {
    const { kind, tool, text } = recordOf(one);
    if (kind === 'tests') {
      const [, passed = '0', failed = '0'] = /^(\d+) passed, (\d+) failed/.exec(String(text)) ?? [];
      const problem = String(text).includes(';');
      seen.facts.push({ kind: 'tests', passed: Number(passed), failed: Number(failed), problem });
      seen.evidence.push({ kind, step, tool: String(tool), text: cut(String(text)) });
    }
  }
  for (const one of listOf(output['changes'])) {
    const { id, files } = recordOf(one);
    seen.facts.push({ kind: 'change' });
    seen.changes.push({ step, id: String(id), files: listOf(files).map(String) });
  }
  for (const one of listOf(output['findings'])) {
    const { count, top, tool } = recordOf(one);
    const number = Number(count) || 0;
    seen.facts.push({ kind: 'findings', count: number });
    seen.findings.push({ step, tool: String(tool), count: number, top: listOf(top).map(String) });
  }
  const text = cut(`${String(output['agent'])}: ${String(output['verdict'])}`);
  seen.evidence.push({ kind: 'ran', step, tool: 'agent.delegate', text });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function sayFinding(finding: unknown): string {
  const { message, title, file, path, line, package: name } = recordOf(finding);
  const where = [file ?? path ?? name, line].flatMap(textOf).join(':');
  return cut([where, ...textOf(message ?? title)].filter((part) => part !== '').join(' '));
}

function textOf(value: unknown): string[] {
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
}

function cut(text: string): string {
  return text.length <= maxTextChars ? text : `${text.slice(0, maxTextChars - 1)}…`;
}

/** What of the criteria was not seen, as sentences. */
export function missingChecks(criteria: readonly DoneCheck[], seen: Seen): string[] {
  return criteria.flatMap((check) => missing(check, seen) ?? []);
}

function missing(check: DoneCheck, { facts, evidence }: Seen): string | undefined {
  const lastChange = facts.findLastIndex(({ kind }) => kind === 'change');
  const after = facts.slice(lastChange + 1);
  switch (check) {
    case 'tests_pass': {
      const tests = after.findLast((fact) => fact.kind === 'tests');
      if (!tests) return 'no tests ran after the last change';
      if (tests.failed > 0 || tests.problem)
        return `tests: ${tests.failed} failed${tests.problem ? ', with a problem' : ''}`;
      return tests.passed === 0 ? 'no test was in the test run' : undefined;
    }
    case 'verified': {
      const checked = facts.findLast((fact) => fact.kind === 'verified');
      return checked?.isVerified === true ? undefined : 'the code was not verified by running it';
    }
    case 'findings_counted':
      return facts.some(({ kind }) => kind === 'findings')
        ? undefined
        : 'nothing was scanned or reviewed';
    case 'no_findings': {
      const counts = after.flatMap((fact) => (fact.kind === 'findings' ? [fact.count] : []));
      if (counts.length === 0) return 'nothing was scanned or reviewed after the last change';
      const sum = counts.reduce((total, count) => total + count, 0);
      return sum === 0 ? undefined : `${sum} findings are left`;
    }
    case 'changed':
      return facts.some(({ kind }) => kind === 'change') ? undefined : 'no file was changed';
    case 'ran':
      return evidence.length > 0 ? undefined : 'no tool of ours gave a result';
  }
}
