import { secretPatterns } from '../../kernel/index.ts';

/**
 * What a secret looks like without a name beside it. Each pattern starts with fixed text and has
 * no nested repetition, so that matching stays linear on any input.
 */
const shapes: readonly string[] = secretPatterns.flatMap(({ hide }) => hide ?? []);

export const shapePattern = new RegExp(shapes.join('|'), 'g');

/** A private key with its armour; one cut off before its end counts to the end of the text. */
export const privateKeyPattern =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

/** `scheme://user:password@host`: the password is in the second group, up to the last `@` before a `/`. */
export const urlPasswordPattern = /(:\/\/[^\s/:@]{0,256}:)[^\s/]{1,256}@/g;

/** `Bearer x`, `Basic x`: the scheme is in the first group. A word without digit or sign is prose. */
export const authorizationPattern =
  /\b(bearer|basic|digest|negotiate|apikey)(\s{1,4})(?=[\w.~+/-]{0,256}[\d.~+/=_-])[\w.~+/=-]{6,}/gi;

/** `Authorization: …`, `Cookie: …`: the rest of the line is the secret. The name is in the first group. */
export const headerPattern =
  /((?:authorization|cookie)\\?["']?\s{0,4}(?:=>|[:=])\s{0,4}\\?["']?)(?!\[hidden)[^\r\n"'\\]{1,4096}/gi;

/**
 * `password=x`, `"api_key": "x y"`, `--token x`: the name, what stands between and an opening quote are in
 * the groups. An unquoted value ends at white space or a separator.
 */
export const namedPattern =
  /(password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|credentials?)((?:[_-][\w-]{0,32})?\\?["']?(?:\s{0,4}(?:=>|[:=])\s{0,4}|\s{1,4}(?=\S{8})(?=\S{0,64}\d)))(?!\\?["']?\[hidden)(?:(\\["'])[^"'\\]{1,4096}|(")(?:[^"\\]|\\.){1,4096}|(')(?:[^'\\]|\\.){1,4096}|[^\s"'&,;)}\]<>]{3,})/gi;
