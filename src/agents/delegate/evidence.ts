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
  | {
      readonly kind: 'code';
      readonly isVerified: boolean;
      readonly isTemplate: boolean;
      readonly round: number;
      readonly text: string;
    }
  | { readonly kind: 'findings'; readonly count: number }
  | { readonly kind: 'change' }
  | { readonly kind: 'ran'; readonly isEmpty: boolean }
  /** An agent below did not show that its part is done. */
  | { readonly kind: 'open'; readonly text: string };

const maxShown = 5;
const maxTextChars = 200;
const maxOutputs = 1_000;

interface SeenStep {
  readonly step: string;
  readonly tool: string;
  readonly view: StepView;
  /** Of several runs of a task: which of them. */
  readonly round: number;
}

/** By time: a check counts for the changes that ended before it began. */
export function seeEvidence(views: readonly RunView[], isOwn: (tool: string) => boolean): Seen {
  const steps = views
    .flatMap(({ steps }, round) =>
      Object.entries(steps).flatMap(([step, view]): SeenStep[] =>
        view.tool !== undefined && view.status === 'succeeded' && isOwn(view.tool)
          ? [{ step, tool: view.tool, view, round }]
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

/** A fact counts from the server that finds out about it alone: others repeat what they were told. */
function see(output: Output, at: SeenStep, seen: Mutable): void {
  // What another agent saw counts as far as it was seen there.
  if (at.tool === 'agent.delegate') return seeDelegated(output, at, seen);
  seen.facts.push({ kind: 'ran', isEmpty: isEmpty(output, at.tool) });
  const [server] = at.tool.split('.', 1);
  if (server === 'exec') seeTests(output, at, seen);
  if (server === 'workspace') seeChange(output, at, seen);
  if (server !== 'code') return;
  seeCode(output, at, seen);
  seeFindings(output, at, seen);
}

/** Lists without which a result holds nothing. */
const resultLists = new Map([
  ['docs.get_docs', 'passages'],
  ['workspace.git_log', 'commits'],
  ['workspace.list_files', 'files'],
]);
/** How much was looked at. */
const lookedCounts = ['files_scanned', 'files_reviewed', 'packages_scanned'];

function isEmpty(output: Output, tool: string): boolean {
  const list = output[resultLists.get(tool) ?? ''];
  const isNone = Array.isArray(list) && list.length === 0;
  return isNone || lookedCounts.some((name) => output[name] === 0);
}

function seeTests(output: Output, { step, tool }: SeenStep, seen: Mutable): void {
  const { passed, failed, problem } = output;
  if (typeof passed !== 'number' || typeof failed !== 'number') return;
  const isProblem = typeof problem === 'string' && problem !== '';
  seen.facts.push({ kind: 'tests', passed, failed, problem: isProblem });
  const text = `${passed} passed, ${failed} failed${isProblem ? `; ${problem}` : ''}`;
  seen.evidence.push({ kind: 'tests', step, tool, text: cut(text) });
}

function seeChange(output: Output, { step, tool }: SeenStep, seen: Mutable): void {
  const { change_id: id } = output;
  if (typeof id !== 'string') return;
  const files = listOf(output['files']).map((file) => cut(String(recordOf(file)['path'])));
  seen.facts.push({ kind: 'change' });
  seen.changes.push({ step, id, files });
  seen.evidence.push({ kind: 'change', step, tool, text: cut(`${id}: ${files.join(', ')}`) });
}

/** Code and tests that a tool wrote: verified, or what keeps them from it. */
function seeCode(output: Output, { step, tool, round }: SeenStep, seen: Mutable): void {
  const { verified, level, origin, missing } = output;
  const isTemplate = origin === 'template';
  if (typeof verified !== 'boolean' && !isTemplate) return;
  const isVerified = verified === true && !isTemplate;
  const text = isVerified ? 'level verified' : isTemplate ? template : sayLevel(level, missing);
  seen.facts.push({ kind: 'code', isVerified, isTemplate, round, text });
  seen.evidence.push({ kind: isVerified ? 'verified' : 'unverified', step, tool, text });
}

const template = 'a template to fill in, not a solution';

function sayLevel(level: unknown, missing: unknown): string {
  const reached = typeof level === 'string' ? `level ${level}, not verified` : 'not verified';
  return cut(typeof missing === 'string' ? `${reached}; it lacks ${missing}` : reached);
}

function seeFindings(output: Output, { step, tool }: SeenStep, seen: Mutable): void {
  const listed = listOf(output['issues'] ?? output['findings'] ?? output['vulnerabilities']);
  const total = output['issues_total'] ?? output['findings_total'] ?? output['findingsTotal'];
  const isList = Array.isArray(output['vulnerabilities']);
  const count = typeof total === 'number' ? total : isList ? listed.length : undefined;
  // Nothing found where nothing was looked at says nothing.
  if (count === undefined || isEmpty(output, tool)) return;
  seen.facts.push({ kind: 'findings', count });
  seen.findings.push({ step, tool, count, top: listed.slice(0, maxShown).map(sayFinding) });
  seen.evidence.push({ kind: 'findings', step, tool, text: `${count} found` });
}

function seeDelegated(output: Output, { step, round }: SeenStep, seen: Mutable): void {
  for (const one of listOf(output['evidence'])) {
    const { kind, tool, text } = recordOf(one);
    const told = { step, tool: String(tool), text: cut(String(text)) };
    if (kind === 'tests') {
      const [, passed = '0', failed = '0'] = /^(\d+) passed, (\d+) failed/.exec(told.text) ?? [];
      const problem = told.text.includes(';');
      seen.facts.push({ kind, passed: Number(passed), failed: Number(failed), problem });
      seen.evidence.push({ kind, ...told });
    }
    if (kind === 'verified' || kind === 'unverified') {
      const isTemplate = told.text === template;
      const isVerified = kind === 'verified';
      seen.facts.push({ kind: 'code', isVerified, isTemplate, round, text: told.text });
      seen.evidence.push({ kind, ...told });
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
  const isDone = output['verdict'] === 'done';
  seen.facts.push(isDone ? { kind: 'ran', isEmpty: false } : { kind: 'open', text });
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

/** What of the criteria was not seen, and what is open whatever they are, as sentences. */
export function missingChecks(criteria: readonly DoneCheck[], seen: Seen): string[] {
  const open = openWork(seen);
  // What keeps code from being verified says more than that none is.
  const left = criteria.filter((check) => check !== 'verified' || open.length === 0);
  return [...left.flatMap((check) => missing(check, seen) ?? []), ...open];
}

/** Templates, unverified code and unproven parts: no criterion makes up for them. */
function openWork({ facts }: Seen): string[] {
  const texts = facts.flatMap((fact, index) => {
    if (fact.kind === 'open') return [fact.text];
    if (fact.kind !== 'code' || fact.isVerified) return [];
    const later = facts.slice(index + 1);
    const isReplaced = later.some(
      (other) => other.kind === 'code' && other.isVerified && other.round > fact.round,
    );
    if (isReplaced || (!fact.isTemplate && isTested(later))) return [];
    return [`the code is not verified: ${fact.text}`];
  });
  return [...new Set(texts)];
}

/** The project's tests passed with what was written last. */
function isTested(facts: Seen['facts']): boolean {
  const lastChange = facts.findLastIndex(({ kind }) => kind === 'change');
  const tests = facts.slice(lastChange + 1).findLast((fact) => fact.kind === 'tests');
  return lastChange >= 0 && tests !== undefined && hasPassed(tests);
}

function hasPassed({ passed, failed, problem }: Extract<Fact, { kind: 'tests' }>): boolean {
  return passed > 0 && failed === 0 && !problem;
}

function missing(check: DoneCheck, { facts }: Seen): string | undefined {
  const lastChange = facts.findLastIndex(({ kind }) => kind === 'change');
  const after = facts.slice(lastChange + 1);
  switch (check) {
    case 'tests_pass': {
      const tests = after.findLast((fact) => fact.kind === 'tests');
      if (!tests) return 'no tests ran after the last change';
      if (tests.failed > 0 || tests.problem)
        return `tests: ${tests.failed} failed${tests.problem ? ', with a problem' : ''}`;
      return hasPassed(tests) ? undefined : 'no test was in the test run';
    }
    case 'verified':
      return facts.some((fact) => fact.kind === 'code' && fact.isVerified)
        ? undefined
        : 'no code was verified by running it';
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
      return facts.some((fact) => fact.kind === 'ran' && !fact.isEmpty)
        ? undefined
        : 'no tool of ours gave a result';
  }
}
