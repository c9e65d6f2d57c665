import type { SecretRange } from './find-secrets.ts';
import { entropyOf, isPlaceholder } from './judge-secret.ts';

/** A quoted value given to something whose name ends in a word for a secret. */
const quoted =
  /(?<word>passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|encryption[_-]?key|signing[_-]?key|credentials?)(?<rest>[A-Za-z0-9_-]{0,30})["'\]]{0,2}[ \t]{0,8}(?::[ \t]{0,2}[A-Za-z]{1,20}[ \t]{0,4})?(?::?=|:|=>)[ \t]{0,8}[rbu]?(?<quote>["'`])(?<secret>[^"'`\n\\]{6,200})\k<quote>/gi;

/** The same without quotes, alone on its line, as in .env, YAML and INI files. */
const bare =
  /^[ \t]{0,40}(?:export[ \t]{1,4}|-[ \t]{1,4}|ENV[ \t]{1,4}|ARG[ \t]{1,4})?[A-Za-z0-9_.-]{0,60}?(?<word>passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|credentials?)(?<rest>[A-Za-z0-9_.-]{0,30})[ \t]{0,8}[:=][ \t]{0,8}(?<secret>[^\s"'`#;,(){}[\]<>$|&]{8,200})[ \t]{0,8}\r?$/gim;

const maxFound = 10_000;
const minQuotedEntropy = 2.8;
const minPasswordEntropy = 2.2;
const minBareEntropy = 3;

/** Values that only their name gives away. Much of what matches is not secret, so it is judged. */
export function findNamedSecrets(text: string): SecretRange[] {
  return [...matches(text, quoted, false), ...matches(text, bare, true)];
}

function matches(text: string, pattern: RegExp, isBare: boolean): SecretRange[] {
  const found: SecretRange[] = [];
  for (const hit of text.matchAll(pattern)) {
    if (found.length >= maxFound) break;
    const { word = '', rest = '', secret = '' } = hit.groups ?? {};
    if (!isSecretName(rest) || !looksSecret(secret, { word, isBare })) continue;
    const start = hit.index + hit[0].lastIndexOf(secret);
    found.push({
      rule: 'generic-secret',
      title: 'Secret in an assignment',
      severity: 'major',
      start,
      end: start + secret.length,
    });
  }
  return found;
}

/** `password_hint`, `tokenizer`, `secret_name` speak about a secret, they do not hold one. */
function isSecretName(rest: string): boolean {
  return rest === '' || secretEnding.test(rest);
}

const secretEnding =
  /^[_.-]?(?:value|key|live|prod|production|staging|dev|test|default|base64|string|[0-9]{1,3})$/i;

function looksSecret(
  secret: string,
  how: { readonly word: string; readonly isBare: boolean },
): boolean {
  if (isPlaceholder(secret) || /\s/.test(secret) || isName(secret)) return false;
  const entropy = entropyOf(secret);
  if (how.isBare) {
    return entropy >= minBareEntropy && /[0-9]/.test(secret) && !isExpression(secret);
  }
  const isPassword = /^passw|^passphrase|^pwd/i.test(how.word);
  return entropy >= (isPassword ? minPasswordEntropy : minQuotedEntropy);
}

/** Without quotes a value may as well be code: `self.token2`, `token_1`, `12345678`. */
function isExpression(text: string): boolean {
  return (
    /^[A-Za-z_][A-Za-z_]*[0-9]{0,3}$/.test(text) ||
    /^[A-Za-z_]\w*\.\D/.test(text) ||
    /^[0-9.:]+$/.test(text)
  );
}

/** A plain word, a dotted or dashed name, a path, a web address, a type: none is a secret. */
function isName(text: string): boolean {
  return (
    /^[A-Za-z]+(?:[_.:/ -][A-Za-z]+){0,10}$/.test(text) ||
    /^(?:https?:|\/|\.\/|~\/|#|\.)/.test(text)
  );
}
