import patterns from './code-lines.json' with { type: 'json' };

/** Lines that are rarely anything but code. */
const codeLines = patterns.map((line) => new RegExp(line, 'u'));
/** Lines that go on with code above them. */
const goesOn =
  /^(?:\s+\S|[}\])]|else\b|elif\b|except\b|finally\b|catch\b|\/\/|\/\*|\*|#|--|$)|[{};]\s*$|\)\s*:\s*$/u;

const maxLeadWords = 3;
/** Code within a line of prose is more than a few words. */
const isInline = /[(){}[\];=<>]|: /u;

/** Takes unfenced code out of a message, and leaves the prose: whole lines, or what follows a colon. */
export function splitCode(message: string): { readonly prose: string; readonly code?: string } {
  const parts = message.split('\n').map(splitAtCode);
  const first = parts.findIndex(({ code }) => code !== undefined);
  const opening = parts[first];
  if (opening?.code === undefined) return { prose: message };
  const rest = message.split('\n').slice(first + 1);
  const end = rest.findIndex((line) => !isCode(line) && !goesOn.test(line));
  const code = [opening.code, ...rest.slice(0, end < 0 ? undefined : end)].join('\n').trim();
  const before = [...parts.slice(0, first), opening].map(({ prose }) => prose);
  const prose = [...before, ...(end < 0 ? [] : rest.slice(end))].join('\n').trim();
  return { prose, code };
}

function isCode(line: string): boolean {
  return codeLines.some((pattern) => pattern.test(line));
}

function splitAtCode(line: string): { readonly prose: string; readonly code?: string } {
  const gaps = [...line.matchAll(/[:?]? +/gu)];
  // Code begins behind a colon or a question, or right behind a few words: "run print(1)".
  const starts = gaps.filter(({ 0: gap }, index) => index < maxLeadWords || gap.trim() !== '');
  const at = [0, ...starts.map(({ 0: gap, index }) => index + gap.length)];
  const from = at.find(
    (start) => isCode(line.slice(start)) && (start === 0 || isInline.test(line)),
  );
  return from === undefined
    ? { prose: line }
    : { prose: line.slice(0, from), code: line.slice(from) };
}
