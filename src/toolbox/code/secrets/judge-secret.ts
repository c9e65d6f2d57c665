/** Words and forms that stand where a secret will be put, or that name one instead of being one. */
const placeholder =
  /example|placeholder|change[_-]?me|changeit|replace[_-]?(?:me|this|with)|your[_-]|dummy|redacted|not[_-]?a[_-]?secret|insert[_-]|x{4,}|\*{3,}|\.{3,}|\$\{|\{\{|<[a-z]|%\(|%[sd]\b|process\.env|os\.environ|getenv|import\.meta|secrets\./i;

/** No key repeats a character eight times. */
const sameCharacters = /(.)\1{7}/;

const maxJudged = 4_000;

/** True for text that only shows where a secret goes. */
export function isPlaceholder(secret: string): boolean {
  const judged = secret.slice(0, maxJudged);
  return placeholder.test(judged) || sameCharacters.test(judged);
}

/** Shannon entropy in bits per character: about 2.5 for words, above 3.5 for random keys. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  const judged = text.slice(0, maxJudged);
  for (const character of judged) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) {
    const share = count / judged.length;
    bits -= share * Math.log2(share);
  }
  return bits;
}

/** Characters that a value in code or configuration rarely has outside quotes. */
const special = /[#;,(){}[\]<>$|&]/;

/** Whether most languages would want quotes around a value. */
export function needsQuotes(text: string): boolean {
  return special.test(text);
}

/** A plain word, a dotted or dashed name, a path, a web address, a type: none is a secret. */
export function looksLikeName(text: string): boolean {
  return (
    /^[A-Za-z]+(?:[_.:/ -][A-Za-z]+){0,10}$/.test(text) ||
    /^(?:https?:|\/|\.\/|~\/|#|\.)/.test(text)
  );
}

/** Without quotes a value may as well be code: `self.token2`, `token_1`, `12345678`, `get(x1)`. */
export function looksLikeCode(text: string): boolean {
  const forms = needsQuotes(text) ? [...plainCode, ...specialCode] : plainCode;
  return forms.some((form) => form.test(text));
}

const plainCode: readonly RegExp[] = [
  /^[A-Za-z_][A-Za-z_]*[0-9]{0,3}$/,
  /^[A-Za-z_]\w*\.\D/,
  /^[0-9.:]+$/,
  /^\*[A-Za-z_]\w*$/,
];

/** Applied to at most 200 characters. */
const specialCode: readonly RegExp[] = [
  // The start or the end of something longer, a variable, a reference, a range of versions.
  /^[$&*!@|,;({[<>=^~]|[;,({[<|&]$/,
  // Calls, indices, generics, templates.
  /\(.*\)|\[.*\]|\{.*\}|<.*>/,
  // Operators, also of types.
  /&&|\|\||=>|->|::|<<|>>|\?\.|[<>]=/,
  /^[A-Za-z_.]*\d{0,3}(?:[|&,;][A-Za-z_.]*\d{0,3})+$/,
  // More of the same: `user=a1;password=b2`, `a=1,b=2`, `x=1&y=2`.
  /[;,&]\w{1,40}[=:]/,
  // A shell's variable inside a word.
  /\$(?:[a-z_]{3,}|[A-Z_]{3,})(?![A-Za-z])|\$[A-Z]+_/,
  // An HTML entity.
  /&(?:lt|gt|amp|quot|nbsp|apos|#\d{1,6});/,
];
