const excerptCharacters = 200;
/** Enough bytes for that many characters of any kind. */
const excerptBytes = excerptCharacters * 4;

/** The beginning of what a server sent, fit for one line of a log or message. */
export function excerptOf(bytes: Buffer): string {
  const text = bytes.subarray(0, excerptBytes).toString('utf8');
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  const isCut = line.length > excerptCharacters || bytes.length > excerptBytes;
  return isCut ? `${line.slice(0, excerptCharacters)}…` : line;
}
