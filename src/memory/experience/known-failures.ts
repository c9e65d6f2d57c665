import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { cureKinds } from '../../contract/experience/index.ts';
import { lazy, ownFile, type Lazy } from '../../kernel/index.ts';

const cureSchema = z.strictObject({
  text: z.string().min(1),
  /** Upper-case words stand for values of the user; never made from the text of an error. */
  command: z.string().min(1).exactOptional(),
  kind: z.enum(cureKinds),
});

const rowSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]+$/),
  cause: z.string().min(1),
  /** Regular expressions over the text of the error, without case, any of which is enough. */
  patterns: z.array(z.string().min(1)).min(1),
  /** Error codes of Tutti that say it without a look at the text. */
  codes: z.array(z.string()).default([]),
  /** Exit codes that go with it. */
  exitCodes: z.array(z.int()).default([]),
  /** More general failures that also match: they come after this one. */
  over: z.array(z.string()).default([]),
  cures: z.array(cureSchema).min(1).max(5),
  /** Where it is documented; `reproduced`: seen by breaking it. */
  source: z.string().min(1),
});

/** A well-known failure of the shipped base. */
export type KnownFailure = Readonly<z.output<typeof rowSchema>> & {
  /** All patterns in one: three times as fast as one by one, which most rows never need. */
  readonly any: RegExp;
  readonly matchers: readonly RegExp[];
};

export interface Match {
  readonly known: KnownFailure;
  /** 0 to 1. */
  readonly likeness: number;
  /** The line of the error that says so. */
  readonly line: string;
}

/** Text that is searched: the beginning and the end of longer ones. */
const maxText = 8_000;
const maxLine = 300;
/** Likeness of a match of a few letters, and of one as long as a sentence. */
const leastLikeness = 0.6;
const sentenceLength = 40;
const byCode = 0.95;
const withExitCode = 0.1;
const behindSpecific = 0.5;
const onlyExitCode = 0.4;

/** Every row, checked; read once. */
export const readKnownFailures: Lazy<readonly KnownFailure[]> = lazy(async () => {
  const folder = fileURLToPath(ownFile('memory/experience/base'));
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const all: KnownFailure[] = [];
  for (const name of files) {
    const rows = z.array(rowSchema).parse(parse(readFileSync(join(folder, name), 'utf8')));
    for (const row of rows) {
      const any = new RegExp(row.patterns.map((pattern) => `(?:${pattern})`).join('|'), 'im');
      const matchers = row.patterns.map((pattern) => new RegExp(pattern, 'im'));
      all.push({ ...row, any, matchers });
    }
    // A process that serves others goes on with them between two files.
    await setImmediate();
  }
  return all;
});

export interface ErrorFacts {
  readonly text: string;
  readonly code?: string | undefined;
  readonly exitCode?: number | undefined;
}

/** The known failures that an error is like, best first; empty: it is unknown. */
export function matchKnown(all: readonly KnownFailure[], facts: ErrorFacts): readonly Match[] {
  const text = searchedText(facts.text);
  const matches = all.flatMap((known) => matchOne(known, text, facts) ?? []);
  const hidden = new Set(matches.flatMap(({ known }) => known.over));
  return matches
    .map((match) =>
      hidden.has(match.known.id) ? { ...match, likeness: match.likeness * behindSpecific } : match,
    )
    .sort((a, b) => b.likeness - a.likeness);
}

function matchOne(
  known: KnownFailure,
  text: string,
  { code, exitCode }: ErrorFacts,
): Match | undefined {
  const matchers = known.any.test(text) ? known.matchers : [];
  const found = matchers.flatMap((matcher) => matcher.exec(text)?.[0] ?? []);
  const hasExitCode = exitCode !== undefined && known.exitCodes.includes(exitCode);
  if (code !== undefined && known.codes.includes(code)) {
    return { known, likeness: byCode, line: code };
  }
  const longest = found.reduce((best, one) => (one.length > best.length ? one : best), '');
  if (longest === '') {
    // Programs that were killed or stopped by a limit often say nothing.
    if (!hasExitCode || text.trim() !== '') return undefined;
    return { known, likeness: onlyExitCode, line: `exit code ${exitCode}` };
  }
  const share = Math.min(1, longest.length / sentenceLength);
  const likeness = leastLikeness + (1 - leastLikeness - withExitCode) * share;
  const at = text.indexOf(longest);
  return {
    known,
    likeness: likeness + (hasExitCode ? withExitCode : 0),
    line: lineAt(text, at),
  };
}

function searchedText(text: string): string {
  if (text.length <= maxText) return text;
  return `${text.slice(0, maxText / 2)}\n${text.slice(-maxText / 2)}`;
}

function lineAt(text: string, at: number): string {
  const from = text.lastIndexOf('\n', at) + 1;
  const to = text.indexOf('\n', at);
  return text
    .slice(from, to === -1 ? undefined : to)
    .trim()
    .slice(0, maxLine);
}
