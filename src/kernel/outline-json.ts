export interface OutlineLimits {
  /** A longer value, or name of one, is cut in its middle. */
  readonly maxValueChars: number;
  readonly maxLines: number;
}

export interface Outline {
  readonly lines: readonly string[];
  /** Whether something is not in the lines: the middle of a value, or whole lines at the end. */
  readonly isCut: boolean;
}

/** Lists and objects that are no longer than this stand in one line. */
const maxInlineChars = 100;

/** JSON as lines for people: every name and, of what is too long to be read, its two ends and how long it is. */
export function outlineJson(value: unknown, limits: OutlineLimits): Outline {
  const lines: string[] = [];
  let left = 0;
  let isCut = false;
  const add = (line: string): void => {
    if (lines.length < limits.maxLines) lines.push(line);
    else left += 1;
  };
  const short = (text: string): string => {
    const cut = cutMiddle(text, limits.maxValueChars);
    isCut ||= cut !== text;
    return cut;
  };
  const maxInline = Math.min(maxInlineChars, limits.maxValueChars);
  const walk = (inner: unknown, { name, indent }: { name: string; indent: string }): void => {
    const text = JSON.stringify(inner) ?? 'null';
    const lead = name === '' ? indent : `${indent}${short(name)}: `;
    const isList = Array.isArray(inner);
    const members = typeof inner === 'object' && inner !== null ? Object.entries(inner) : [];
    if (members.length === 0 || text.length <= maxInline) return add(lead + short(text));
    if (name !== '') add(lead + (isList ? `${members.length} items` : `${members.length} members`));
    const deeper = name === '' ? indent : `${indent}  `;
    for (const [key, member] of members) {
      walk(member, { name: isList ? `[${key}]` : key, indent: deeper });
    }
  };
  walk(value, { name: '', indent: '' });
  if (left > 0) lines.push(`… ${left} more lines`);
  return { lines, isCut: isCut || left > 0 };
}

/** Both ends of a text, and how much of how much is left out between them. */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  const leftOut = text.length - 2 * half;
  return `${text.slice(0, half)}… [${leftOut} of ${text.length} characters left out] …${text.slice(-half)}`;
}
