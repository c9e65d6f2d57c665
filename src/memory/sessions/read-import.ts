import { sessionSchema, type Session } from '../../contract/session/index.ts';
import { InvalidSessionError, NewerSessionError } from '../errors.ts';
import type { MemoryLimits } from '../memory-limits.ts';
import { bytesOf, sessionTitle } from './stored-session.ts';

/** Plans in plans included; what nests deeper was made to break programs. */
const maxDepth = 64;
const maxProblems = 5;
const knownVersion = 1;

/**
 * A session from foreign data, whole and in order. Throws `memory.invalid_session` or
 * `memory.newer_session`.
 */
export function readImport(data: unknown, limits: MemoryLimits): Session {
  refuseHostile(data, limits.maxSessionBytes);
  refuseNewer(data);
  const read = sessionSchema.safeParse(data);
  if (!read.success) {
    const problems = read.error.issues.map(({ path, message }) =>
      path.length === 0 ? message : `${path.join('.')}: ${message}`,
    );
    throw new InvalidSessionError(problems.slice(0, maxProblems));
  }
  const problems = problemsOf(read.data, limits);
  if (problems.length > 0) throw new InvalidSessionError(problems.slice(0, maxProblems));
  const title = sessionTitle(read.data.title, limits.maxTitleLength);
  return {
    ...read.data,
    title,
    createdAt: iso(read.data.createdAt),
    updatedAt: iso(read.data.updatedAt),
  };
}

/**
 * The turns with no say in what is done next: no user of this session said these words or saw what was proposed, so that a
 * `yes` accepts none of it.
 */
export function withoutSay(turns: Session['turns']): Session['turns'] {
  const strange = turns.map((turn) => ({ ...turn, isTainted: true }));
  const last = strange.at(-1);
  if (!last) return [];
  const { plan: _plan, alternatives: _others, runId: _run, ...kept } = last;
  return [...strange.slice(0, -1), kept];
}

/** What no schema may be given: too much of it, too deep, or names that stand for something else. */
function refuseHostile(data: unknown, maxBytes: number): void {
  const waiting: { readonly value: unknown; readonly depth: number }[] = [
    { value: data, depth: 0 },
  ];
  let size = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, depth } = next;
    size += typeof value === 'string' ? value.length : 1;
    if (size > maxBytes) throw new InvalidSessionError([`it is longer than ${maxBytes} bytes`]);
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= maxDepth)
      throw new InvalidSessionError([`it nests deeper than ${maxDepth} levels`]);
    if (Object.hasOwn(value, '__proto__')) {
      throw new InvalidSessionError(['it has a member named "__proto__"']);
    }
    for (const member of Object.values(value)) waiting.push({ value: member, depth: depth + 1 });
  }
}

/** Before all else: what a later version adds would only look like mistakes. */
function refuseNewer(data: unknown): void {
  const found: unknown = Object(data)['version'];
  if (typeof found === 'number' && Number.isInteger(found) && found > knownVersion) {
    throw new NewerSessionError({ found, known: knownVersion });
  }
}

/** What a schema cannot say. */
function problemsOf(session: Session, limits: MemoryLimits): string[] {
  const { turns, summary, forkedFrom } = session;
  const problems: string[] = [];
  const times = [session.createdAt, session.updatedAt, ...turns.map(({ at }) => at)];
  // What else passes for a date, such as a remark in brackets, is shown as it is.
  const noTime = times.find(
    (text) => !/^[\dTZ:.+-]{1,40}$/.test(text) || Number.isNaN(Date.parse(text)),
  );
  if (noTime !== undefined) problems.push(`"${noTime.slice(0, 40)}" is no time`);
  const gap = turns.findIndex(({ number }, index) => number !== index + 1);
  if (gap >= 0) problems.push(`turns.${gap}.number: turns are numbered from 1 without gaps`);
  if (summary !== null && summary.turn > turns.length) {
    problems.push(`summary.turn: there is no turn ${summary.turn}`);
  }
  if (summary !== null && summary.text.length > limits.maxSummaryLength) {
    problems.push(`summary.text: it may have ${limits.maxSummaryLength} characters`);
  }
  if (forkedFrom !== null && !/^[a-z0-9-]{1,64}$/.test(forkedFrom.session)) {
    problems.push('forkedFrom.session: this is no id');
  }
  if (turns.length > limits.maxTurns) problems.push(`turns: there may be ${limits.maxTurns}`);
  const sizes = turns.map(bytesOf);
  const large = sizes.findIndex((bytes) => bytes > limits.maxTurnBytes);
  if (large >= 0) problems.push(`turns.${large}: a turn may have ${limits.maxTurnBytes} bytes`);
  if (sizes.reduce((sum, bytes) => sum + bytes, 0) > limits.maxSessionBytes) {
    problems.push(`turns: all of them may have ${limits.maxSessionBytes} bytes`);
  }
  return problems;
}

function iso(text: string): string {
  return new Date(text).toISOString();
}
