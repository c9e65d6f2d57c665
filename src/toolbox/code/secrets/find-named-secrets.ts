import type { SecretRange } from './find-secrets.ts';
import {
  looksLikeCode,
  looksLikeName,
  needsQuotes,
  entropyOf,
  isPlaceholder,
} from './judge-secret.ts';

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

const maxFound = 10_000;
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

const kinds: readonly NamedSecret[] = [
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
export function findNamedSecrets(text: string): SecretRange[] {
  return kinds.flatMap((kind) => matches(text, kind));
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
