import { lexicon } from './lexicon.ts';

/** Lines that are rarely anything but code. */
const starts = lexicon.codeLines.map((line) => new RegExp(line, 'u'));
/** Lines that go on with code above them. */
const goesOn =
  /^(?:\s+\S|[}\])]|else\b|elif\b|except\b|finally\b|catch\b|\/\/|\/\*|\*|#|--|$)|[{};]\s*$|\)\s*:\s*$/u;

/** Takes unfenced code out of a message, and leaves the prose: whole lines, or what follows a colon. */
export function splitCode(message: string): { readonly prose: string; readonly code?: string } {
  const lines = message.split('\n');
  const first = lines.findIndex((line) => isCode(line) || codeAfterColon(line) !== undefined);
  if (first < 0) return { prose: message };
  const opening = lines[first] ?? '';
  const inline = isCode(opening) ? undefined : codeAfterColon(opening);
  let last = first;
  for (let at = first + 1; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (!isCode(line) && !goesOn.test(line)) break;
    if (line.trim() !== '') last = at;
  }
  const code = [inline ?? opening, ...lines.slice(first + 1, last + 1)].join('\n').trim();
  const before = inline === undefined ? [] : [opening.slice(0, opening.length - inline.length)];
  const prose = [...lines.slice(0, first), ...before, ...lines.slice(last + 1)].join('\n').trim();
  return { prose, code };
}

function isCode(line: string): boolean {
  return starts.some((pattern) => pattern.test(line));
}

function codeAfterColon(line: string): string | undefined {
  for (let at = line.indexOf(': '); at >= 0; at = line.indexOf(': ', at + 1)) {
    const rest = line.slice(at + 2).trimStart();
    if (isCode(rest)) return rest;
  }
  return undefined;
}
