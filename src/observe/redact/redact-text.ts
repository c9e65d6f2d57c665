import { secretPatterns } from '../../kernel/index.ts';

export const hiddenText = '[hidden]';

/** Text looked at beyond the part that is shown, so that a secret at the cut is still recognised whole. */
const overlapLength = 4_096;

/** The text with everything that looks like a secret hidden, cut to `maxLength` characters. */
export function redactText(text: string, maxLength: number): string {
  const isLong = text.length > maxLength + overlapLength;
  const redacted = hideSecrets(isLong ? text.slice(0, maxLength + overlapLength) : text);
  if (redacted.length <= maxLength) return redacted;
  return `${redacted.slice(0, maxLength)}… (${text.length} characters)`;
}

/** The shortest text that a pattern fits: `pwd=abc`. */
const minSecretLength = 7;

function hideSecrets(text: string): string {
  if (text.length < minSecretLength) return text;
  let redacted = text;
  for (const [pattern, replacement] of replacements) {
    // Most text has no secret, and looking is several times cheaper than replacing.
    if (redacted.search(pattern) >= 0) redacted = redacted.replace(pattern, replacement);
  }
  return redacted;
}

/**
 * What a secret looks like without a name beside it. Each pattern starts with fixed text and has
 * no nested repetition, so that matching stays linear on any input.
 */
const shapes: readonly string[] = secretPatterns.flatMap(({ hide }) => hide ?? []);

const shapePattern = new RegExp(shapes.join('|'), 'g');

/** A private key with its armour; one cut off before its end counts to the end of the text. */
const privateKeyPattern =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

/** `scheme://user:password@host`: the password is in the second group, up to the last `@` before a `/`. */
const urlPasswordPattern = /(:\/\/[^\s/:@]{0,256}:)[^\s/]{1,256}@/g;

/** `Bearer x`, `Basic x`: the scheme is in the first group. A word without digit or sign is prose. */
const authorizationPattern =
  /\b(bearer|basic|digest|negotiate|apikey)(\s{1,4})(?=[\w.~+/-]{0,256}[\d.~+/=_-])[\w.~+/=-]{6,}/gi;

/** `Authorization: …`, `Cookie: …`: the rest of the line is the secret. The name is in the first group. */
const headerPattern =
  /((?:authorization|cookie)\\?["']?\s{0,4}(?:=>|[:=])\s{0,4}\\?["']?)(?!\[hidden)[^\r\n"'\\]{1,4096}/gi;

/**
 * `password=x`, `"api_key": "x y"`, `--token x`: the name, what stands between and an opening quote are in
 * the groups. An unquoted value ends at white space or a separator.
 */
const namedPattern =
  /(password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|credentials?)((?:[_-][\w-]{0,32})?\\?["']?(?:\s{0,4}(?:=>|[:=])\s{0,4}|\s{1,4}(?=\S{8})(?=\S{0,64}\d)))(?!\\?["']?\[hidden)(?:(\\["'])[^"'\\]{1,4096}|(")(?:[^"\\]|\\.){1,4096}|(')(?:[^'\\]|\\.){1,4096}|[^\s"'&,;)}\]<>]{3,})/gi;

/** What is hidden by each pattern, in this order. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [privateKeyPattern, hiddenText],
  [urlPasswordPattern, `$1${hiddenText}@`],
  [shapePattern, hiddenText],
  [headerPattern, `$1${hiddenText}`],
  [authorizationPattern, `$1$2${hiddenText}`],
  [namedPattern, `$1$2$3$4$5${hiddenText}`],
];

/** Names whose whole value is a secret, wherever in a longer name they stand. Where ` ?` stands a sign may be. */
const secretParts = [
  'authorization',
  'pass ?word',
  'passwd',
  'pass ?phrase',
  'secret',
  'cookie',
  'credential',
  'bearer',
  'connection ?string',
  '(?:api|access|private|signing|encryption|master|account|ssh) ?key',
];

/** Names that are secrets only when nothing follows: `accessToken` is one, `maxTokens` is not. */
const secretEndings = ['token', 'jwt', 'pwd'];

const secretWords = ['auth', 'otp', 'pass'];

/** Names that end like a secret's but are plain bookkeeping. */
const plainPattern = /(?:progress|page|continuation)[^a-z0-9]?token$/i;

const sign = '[^a-z0-9]';

/** One pattern for all: it is asked for every key of every line and span. */
const secretPattern = new RegExp(
  [
    ...secretParts.map((part) => part.replaceAll(' ?', `${sign}?`)),
    `(?:${secretEndings.join('|')})${sign}*$`,
    `^${sign}*(?:${secretWords.join('|')})${sign}*$`,
  ].join('|'),
  'i',
);

const maxNameLength = 128;

/** Whether what stands under this name must not be shown. Case and the sign between its words do not matter. */
export function isSecretName(name: string): boolean {
  return name.length <= maxNameLength && secretPattern.test(name) && !plainPattern.test(name);
}
