import { createHash } from 'node:crypto';
import type { HiddenSecrets } from '../../../contract/secret/index.ts';
import { type SecretPattern, secretPatterns } from '../../../kernel/index.ts';
import type { Severity } from '../finding.ts';
import { TextPositions } from '../text-positions.ts';
import {
  entropyOf,
  isPlaceholder,
  looksLikeCode,
  looksLikeName,
  needsQuotes,
} from './judge-secret.ts';

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
interface SecretRange {
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

/** A quoted value given to something whose name ends in a word for a secret; quotes in notebooks are escaped. */
const quoted =
  /(?<word>passw(?:or)?d|passphrase|pwd|(?<![a-z])pass|(?<![a-z])pw|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|encryption[_-]?key|signing[_-]?key|credentials?)(?<rest>[A-Za-z0-9_-]{0,30})\\?["'\]]{0,2}[ \t]{0,8}(?::[ \t]{0,2}[A-Za-z]{1,20}[ \t]{0,4})?(?::?=|:|=>)[ \t]{0,8}[rbu]?\\?(?<quote>["'`])(?<secret>[^"'`\n\\]{6,200})\\?\k<quote>/gi;

/** The same without quotes, alone on its line or before a comment, as in .env, YAML and INI files. */
const bare =
  /^[ \t]{0,40}(?:export[ \t]{1,4}|-[ \t]{1,4}|ENV[ \t]{1,4}|ARG[ \t]{1,4})?[A-Za-z0-9_.-]{0,60}?(?<word>passw(?:or)?d|passphrase|pwd|(?<![a-z])pass|(?<![a-z])pw|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|credentials?)(?<rest>[A-Za-z0-9_.-]{0,30})[ \t]{0,8}[:=][ \t]{0,8}(?<secret>[^\s"'`]{8,200})(?=(?:[ \t]{1,8}#[^\n]*|[ \t]{0,8})\r?$)/gim;

/** `PASSWORD 'x'` as in CREATE USER. */
const sqlPassword = /\b(?<word>password)[ \t]{1,8}'(?<secret>[^'\n]{6,200})'/gi;

/** What follows this is a password, whatever it looks like. */
const sqlIdentified =
  /\bidentified[ \t]{1,8}(?:with[ \t]{1,8}["'`]?[\w-]{1,60}["'`]?[ \t]{1,8})?by[ \t]{1,8}(?:password[ \t]{1,8})?(?<quote>["'])(?<secret>[^"'\n]{4,200})\k<quote>/gi;

const xmlElement =
  /<(?:[\w.-]{1,40}[:_.-])?(?<word>passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key)(?:[ \t][^<>\n]{0,200})?>\s{0,80}(?<secret>[^\s<>]{6,200})\s{0,80}<\//gi;

/** As curl takes them. */
const userOption =
  /(?<![\w-])(?:-u|--user)(?:[ \t]{1,4}|=|["'],[ \t]{0,4}["'])["']?[\w.@%+-]{1,64}:(?<secret>[^\s"'`]{6,200})/g;

/** Written right after `-p`, as MySQL's programs want it. */
const mysqlOption =
  /\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mysqlshow|mysqlcheck|mariadb|mariadb-dump)[ \t][^\n|;&]{0,200}?(?<=[ \t])-p["']?(?<secret>[^\s"'`=-][^\s"'`]{3,200})/g;

const minQuotedEntropy = 2.8;
const minPasswordEntropy = 2.2;
const minBareEntropy = 3;

interface NamedSecret {
  readonly title: string;
  readonly pattern: RegExp;
  readonly isSecret: (secret: string, hit: Candidate) => boolean;
}

interface Candidate {
  /** What its name calls it, and how the name goes on. */
  readonly word: string;
  readonly rest: string;
  /** The line up to the match, as far as it matters. */
  readonly before: string;
}

const namedKinds: readonly NamedSecret[] = [
  {
    title: 'Secret in an assignment',
    pattern: quoted,
    isSecret: (secret, { word, rest }) => isSecretName(rest) && isQuotedSecret(secret, word),
  },
  {
    title: 'Secret in an assignment',
    pattern: bare,
    isSecret: (secret, { rest }) => isSecretName(rest) && isBareSecret(secret),
  },
  {
    title: 'Password in an SQL statement',
    pattern: sqlPassword,
    isSecret: (secret, { word }) => !isVariable(secret) && isQuotedSecret(secret, word),
  },
  { title: 'Password in an SQL statement', pattern: sqlIdentified, isSecret: isGivenSecret },
  {
    title: 'Secret in an element',
    pattern: xmlElement,
    isSecret: (secret, { word }) => !isVariable(secret) && isQuotedSecret(secret, word),
  },
  {
    title: 'Password on a command line',
    pattern: userOption,
    isSecret: (secret, { before }) =>
      !runsAsGroup.test(before) &&
      /[A-Za-z]/.test(secret) &&
      !isVariable(secret) &&
      isQuotedSecret(secret, 'password'),
  },
  {
    title: 'Password on a command line',
    pattern: mysqlOption,
    isSecret: (secret) => isGivenSecret(secret) && !otherOption.test(secret),
  },
];

/** Values that only what stands before them gives away. Much of what matches is not secret, so it is judged. */
function findNamedSecrets(text: string): SecretRange[] {
  return namedKinds.flatMap((kind) => matches(text, kind));
}

const maxBefore = 200;

function matches(text: string, { title, pattern, isSecret }: NamedSecret): SecretRange[] {
  const found: SecretRange[] = [];
  for (const hit of text.matchAll(pattern)) {
    if (found.length >= maxFound) break;
    const { word = '', rest = '', secret = '' } = hit.groups ?? {};
    const near = text.slice(Math.max(0, hit.index - maxBefore), hit.index);
    const before = near.slice(near.lastIndexOf('\n') + 1);
    if (!isSecret(secret, { word, rest, before })) continue;
    const start = hit.index + hit[0].lastIndexOf(secret);
    const end = start + secret.length;
    found.push({ rule: 'generic-secret', title, severity: 'major', start, end });
  }
  return found;
}

/** `password_hint`, `tokenizer`, `secret_name` speak about a secret, they do not hold one. */
function isSecretName(rest: string): boolean {
  return rest === '' || secretEnding.test(rest);
}

const secretEnding =
  /^[_.-]?(?:value|key|live|prod|production|staging|dev|test|default|base64|string|passw(?:or)?d|pwd|secret|token|api[_-]?key|access[_-]?key|[0-9]{1,3})$/i;

function isQuotedSecret(secret: string, word: string): boolean {
  if (isPlaceholder(secret) || /\s/.test(secret) || looksLikeName(secret)) return false;
  const isPassword = /^passw|^passphrase|^pwd/i.test(word);
  return entropyOf(secret) >= (isPassword ? minPasswordEntropy : minQuotedEntropy);
}

function isBareSecret(secret: string): boolean {
  if (isPlaceholder(secret) || looksLikeName(secret) || !/[0-9]/.test(secret)) return false;
  if (entropyOf(secret) < minBareEntropy || looksLikeCode(secret)) return false;
  // Such a value is more often code than a password, so it has to be mixed like one.
  return !needsQuotes(secret) || /[A-Za-z]/.test(secret);
}

/** Where only a password can stand: all but what shows where one goes. */
function isGivenSecret(secret: string): boolean {
  return !isPlaceholder(secret) && !isVariable(secret) && !/^pass(?:word|wd)?$/i.test(secret);
}

/** `$1`, `%s`, `:name`, `@name`, `{encrypted}`, a path on Windows. */
function isVariable(secret: string): boolean {
  return /^[$%:@{<\\]/.test(secret);
}

/** `find mysql -print`, `-p3306:3306`: what else begins with `-p`. */
const otherOption = /^(?:rint|rint0|rintf|ath|rune|erm|arents?|ort|refix)(?:=|$)|^[\d.:]+$/;

/** Programs whose `-u` is a user and a group. */
const runsAsGroup = /\b(?:docker|podman|nerdctl|chown|install|rsync|sudo|useradd|usermod)\b/;
