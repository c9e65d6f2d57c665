/** Redacts secrets in a server's output before anything else reads it. */
export type Redact = (text: string) => string;

const excerptCharacters = 200;
/** More bytes than the excerpt needs, so that a secret at the cut is recognized as a whole. */
const excerptBytes = 4_096;

/** The beginning of a server's output, redacted, for one line of a log or message. */
export function excerptOf(bytes: Buffer, redact: Redact = (text) => text): string {
  const text = redact(bytes.subarray(0, excerptBytes).toString('utf8'));
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  const isCut = line.length > excerptCharacters || bytes.length > excerptBytes;
  return isCut ? `${line.slice(0, excerptCharacters)}…` : line;
}
