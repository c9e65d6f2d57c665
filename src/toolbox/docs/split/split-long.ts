import { docsLimits, type Passage } from '../library.ts';

interface Block {
  readonly heading: string;
  readonly line: number;
  readonly lines: readonly string[];
  readonly maxChars?: number;
}

/**
 * Lines as one passage, or as several where they are too long for one: cut at empty lines outside
 * of code where there are some, anywhere where there are none. A line longer than a passage is cut.
 */
export function splitLong({
  heading,
  line,
  lines,
  maxChars: maxPassageChars = docsLimits.maxPassageChars,
}: Block): Passage[] {
  const passages: Passage[] = [];
  let start = 0;
  let size = 0;
  let lastGap = -1;
  let isCode = false;
  const emit = (end: number): void => {
    const own = lines.slice(start, end);
    const empty = own.findIndex((text) => text.trim() !== '');
    const text = own.join('\n').trim().slice(0, maxPassageChars);
    if (text !== '') passages.push({ heading, text, line: line + start + Math.max(empty, 0) });
    start = end;
    size = 0;
    lastGap = -1;
  };
  lines.forEach((text, index) => {
    if (/^\s{0,3}(?:```|~~~)/.test(text)) isCode = !isCode;
    if (text.trim() === '' && !isCode) lastGap = index;
    if (size + text.length > maxPassageChars && index > start) {
      const end = lastGap > start ? lastGap : index;
      emit(end);
      size = lines.slice(end, index).reduce((sum, one) => sum + one.length + 1, 0);
    }
    size += text.length + 1;
  });
  emit(lines.length);
  return passages;
}
