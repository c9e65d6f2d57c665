import { maxReportBytes } from '../test-report.ts';

const defaultMaxLines = 200_000;

/** The lines of a report. Fails on one that is longer than any honest run needs. */
export function readLines(
  bytes: Uint8Array,
  maxLines = defaultMaxLines,
): { lines: readonly string[]; problem?: string } {
  if (bytes.length > maxReportBytes) {
    return { lines: [], problem: `the report has more than ${maxReportBytes} bytes` };
  }
  const lines = new TextDecoder().decode(bytes).split('\n', maxLines + 1);
  if (lines.length > maxLines) {
    return {
      lines: lines.slice(0, maxLines),
      problem: `the report has more than ${maxLines} lines`,
    };
  }
  return { lines };
}

const maxDepth = 100;

/** What a text says as JSON, or undefined; also when it is nested deeper than any report. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Looks at brackets alone, before a parser makes an object of each. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charAt(at)) {
      case '"':
        isInString = !isInString;
        break;
      case '\\':
        at += 1;
        break;
      case '[':
      case '{':
        if (!isInString) depth += 1;
        if (depth > maxDepth) return true;
        break;
      case ']':
      case '}':
        if (!isInString) depth -= 1;
        break;
      default:
    }
  }
  return false;
}
