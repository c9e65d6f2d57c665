import { createHash } from 'node:crypto';
import type { HiddenSecrets } from '../../../contract/secret/index.ts';
import { secretPatterns, type SecretPattern } from '../../../kernel/index.ts';
import type { Severity } from '../finding.ts';
import { TextPositions } from '../text-positions.ts';
import { findNamedSecrets } from './find-named-secrets.ts';
import { entropyOf, isPlaceholder } from './judge-secret.ts';

/** A secret in a text: where it is and what kind, never what it is. */
export interface FoundSecret {
  readonly rule: string;
  readonly title: string;
  readonly severity: Severity;
  /** Offsets in the text, the end exclusive. */
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
  /** The first characters, then `***` and the length. */
  readonly preview: string;
  /** Start of the SHA-256 of the secret: the same secret in two files has the same one. */
  readonly fingerprint: string;
}

/** A candidate before overlaps are settled. */
export interface SecretRange {
  readonly rule: string;
  readonly title: string;
  readonly severity: Severity;
  readonly start: number;
  readonly end: number;
}

const maxFound = 10_000;

interface SecretKind extends Omit<SecretPattern, 'pattern'> {
  readonly pattern: RegExp;
}

const kinds = secretPatterns.map((kind): SecretKind => {
  const isCaseless = kind.pattern.startsWith('(?i)');
  const source = isCaseless ? kind.pattern.slice('(?i)'.length) : kind.pattern;
  return { ...kind, pattern: new RegExp(source, isCaseless ? 'gi' : 'g') };
});

/** The secrets in a text, in reading order, each place once. Time is linear in the text. */
export function findSecrets(text: string): readonly FoundSecret[] {
  const source = { text, lowered: text.toLowerCase() };
  const known = kinds.flatMap((kind) => match(source, kind));
  const ranges = settle([...known, ...findNamedSecrets(text)]);
  const positions = new TextPositions(text);
  return ranges.map((range) => describe(range, text, positions));
}

/** The text with every secret replaced; everything else is untouched. */
export function hideSecrets(text: string): HiddenSecrets {
  const found = findSecrets(text);
  let shown = '';
  let done = 0;
  for (const { start, end, rule } of found) {
    shown += `${text.slice(done, start)}[hidden ${rule}]`;
    done = end;
  }
  return { text: shown + text.slice(done), count: found.length };
}

interface Source {
  readonly text: string;
  readonly lowered: string;
}

function match({ text, lowered }: Source, kind: SecretKind): SecretRange[] {
  if (!(kind.pattern.ignoreCase ? lowered : text).includes(kind.hint)) return [];
  const found: SecretRange[] = [];
  let done = 0;
  for (const hit of text.matchAll(kind.pattern)) {
    if (found.length >= maxFound) break;
    if (hit.index < done) continue;
    const secret = hit.groups?.['secret'] ?? hit[0];
    if (isPlaceholder(secret)) continue;
    if (kind.minEntropy !== undefined && entropyOf(secret) < kind.minEntropy) continue;
    const start = hit.index + hit[0].lastIndexOf(secret);
    const isKey = kind.id === 'private-key';
    const end = isKey ? endOfKey(text, start) : start + secret.length;
    done = end;
    if (isKey && !keyBody.test(text.slice(start + secret.length, end))) continue;
    const severity = kind.critical ? 'critical' : 'major';
    found.push({ rule: kind.id, title: kind.title, severity, start, end });
  }
  return found;
}

const maxKeyLength = 20_000;

/** A header alone is what programs that read keys look for. */
const keyBody = /[A-Za-z0-9+/]{32}/;

/** A private key reaches to its end mark; without one, as far as keys can be long. */
function endOfKey(text: string, start: number): number {
  const body = text.slice(start, start + maxKeyLength);
  const mark = body.indexOf('-----END');
  if (mark < 0) return start + body.length;
  const closing = body.indexOf('-----', mark + '-----END'.length);
  return start + (closing < 0 ? body.length : closing + '-----'.length);
}

/** Ranges that overlap become one, named by the pattern that comes first in the table. */
function settle(candidates: readonly SecretRange[]): readonly SecretRange[] {
  const ranked = candidates.map((range, rank) => ({ range, rank }));
  ranked.sort((a, b) => a.range.start - b.range.start || a.rank - b.rank);
  const kept: Ranked[] = [];
  for (const next of ranked) {
    const last = kept.at(-1);
    if (!last || next.range.start >= last.range.end) kept.push(next);
    else kept[kept.length - 1] = merge(last, next);
  }
  return kept.slice(0, maxFound).map(({ range }) => range);
}

type Ranked = { readonly range: SecretRange; readonly rank: number };

function merge(first: Ranked, second: Ranked): Ranked {
  const better = second.rank < first.rank ? second : first;
  const end = Math.max(first.range.end, second.range.end);
  return { rank: better.rank, range: { ...better.range, start: first.range.start, end } };
}

function describe(range: SecretRange, text: string, positions: TextPositions): FoundSecret {
  const secret = text.slice(range.start, range.end);
  return {
    ...range,
    ...positions.position(range.start),
    preview: `${secret.slice(0, shownLength(secret))}***${secret.length}`,
    fingerprint: createHash('sha256').update(secret).digest('hex').slice(0, 16),
  };
}

const longSecret = 16;

/** Four characters of a long key tell which one it is; of a short password they would tell too much. */
function shownLength(secret: string): number {
  if (secret.length >= longSecret) return 4;
  return secret.length >= longSecret / 2 ? 1 : 0;
}
