/** Words and forms that stand where a secret will be put, or that name one instead of being one. */
const placeholder =
  /example|placeholder|change[_-]?me|changeit|replace[_-]?(?:me|this|with)|your[_-]|dummy|redacted|not[_-]?a[_-]?secret|insert[_-]|x{4,}|\*{3,}|\.{3,}|\$\{|\{\{|<[a-z]|%\(|%[sd]\b|process\.env|os\.environ|getenv|import\.meta|secrets\./i;

/** The same character eight times: nobody's key. */
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
