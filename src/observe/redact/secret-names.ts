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
