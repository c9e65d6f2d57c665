const maxLength = 160;

/** The beginning of a description, as far as one line of a list has room. */
export function firstSentence(text: string): string {
  const line = text
    .slice(0, 4 * maxLength)
    .replace(/\s+/g, ' ')
    .trim();
  const end = line.search(/[.!?](?: |$)/);
  const sentence = end === -1 ? line : line.slice(0, end + 1);
  return sentence.length <= maxLength ? sentence : `${sentence.slice(0, maxLength - 1)}…`;
}
