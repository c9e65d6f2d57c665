/** A title on one line, without what moves a cursor, cut to its limit. */
export function sessionTitle(text: string, maxLength: number): string {
  const line = text
    .slice(0, 10 * maxLength)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}

/** Title of an unnamed session: the beginning of its first message. */
export function titleOfMessage(message: string): string {
  const [line = ''] = message.trim().split('\n', 1);
  return sessionTitle(line, usualTitleLength);
}

const usualTitleLength = 60;
