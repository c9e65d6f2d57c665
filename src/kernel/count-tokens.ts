const letter = 1;
const digit = 2;
const space = 3;
const mark = 4;
const other = 5;

/** Characters of a run that make one token at most, by kind. */
const perToken = { [letter]: 4, [digit]: 2, [space]: 4 } as const;

/**
 * About how many tokens a text is, without the model's own tokenizer: rather too many than too few.
 * Words count a token per four letters, marks one each, other scripts one per two bytes of UTF-8.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  let kind = 0;
  let length = 0;
  let otherBytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const next = kindOf(code);
    if (next === other) otherBytes += code < 0x800 ? 2 : 3;
    if (next !== kind || next === mark) {
      tokens += tokensOfRun(kind, length);
      kind = next;
      length = 0;
    }
    length += 1;
  }
  return tokens + tokensOfRun(kind, length) + Math.ceil(otherBytes / 2);
}

function kindOf(code: number): number {
  if (code > 0x7f) return other;
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return letter;
  if (code >= 48 && code <= 57) return digit;
  return code <= 32 ? space : mark;
}

function tokensOfRun(kind: number, length: number): number {
  if (kind === letter || kind === digit) return Math.ceil(length / perToken[kind]);
  // A single space belongs to the word behind it.
  if (kind === space) return length === 1 ? 0 : Math.ceil(length / perToken[space]);
  return kind === mark ? length : 0;
}
