import { isPlaceholder } from '../../secrets/judge-secret.ts';

const secretName =
  /(?:^|[_a-z0-9])(?:pass(?:word|phrase|wd)|pwd|secret|token|api_?key|private_?key|access_?key|auth_?key|credential)s?$/i;
const minLength = 6;
const maxLength = 500;

/** Whether a literal given to something of this name looks like a secret written in the source. */
export function isLiteralSecret(name: string, text: string): boolean {
  if (name.length > maxLength || !secretName.test(name)) return false;
  if (text.length < minLength || text.length > maxLength) return false;
  if (isPlaceholder(text) || /\s/.test(text)) return false;
  // Parsers speak of tokens too; theirs are words and signs.
  if (/tokens?$/i.test(name) && !/[0-9]/.test(text)) return false;
  return !isPlainName(text);
}

/** A word, a dotted or dashed name, a path, an address: what names things rather than opens them. */
function isPlainName(text: string): boolean {
  return (
    /^[A-Za-z]+(?:[_.:/-][A-Za-z]+){0,10}$/.test(text) || /^(?:https?:|\/|\.|#|\$|%)/.test(text)
  );
}
