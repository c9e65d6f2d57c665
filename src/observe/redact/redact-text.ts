import {
  authorizationPattern,
  headerPattern,
  namedPattern,
  privateKeyPattern,
  shapePattern,
  urlPasswordPattern,
} from './secret-patterns.ts';

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

/** What is hidden by each pattern, in this order. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [privateKeyPattern, hiddenText],
  [urlPasswordPattern, `$1${hiddenText}@`],
  [shapePattern, hiddenText],
  [headerPattern, `$1${hiddenText}`],
  [authorizationPattern, `$1$2${hiddenText}`],
  [namedPattern, `$1$2$3$4$5${hiddenText}`],
];

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
