/** Text that does something to a terminal, or hides from those who read it, and what of it must never arrive there. */

/** Follows each escape sequence, so that one of ours is told from one that was let through. */
const mark = 'FORGED';

const sequences = [
  '\u001B[31m',
  '\u001B[1m',
  '\u001B[2K',
  '\u001B[G',
  '\u001B[3F',
  '\u001B[J',
  '\u001B[2J',
  '\u001B[38;5;196m',
  '\u001B[?1049h',
  '\u001B[6n',
  '\u001B]0;title\u0007',
  '\u001B]52;c;cm0gLXJmIH4=\u0007',
  '\u001B]8;;http://evil.test\u001B\\',
  '\u001BP+q544e\u001B\\',
  '\u001Bc',
  '\u009B2J',
  '\u009D0;title\u009C',
  '\u0090q\u009C',
];
const characters =
  '\u0000\u0007\u0008\u000B\u000C\u000E\r\u007F\u0085\u009F\u00AD\u061C\u200B\u200C\u200D\u200E\u202E\u2028\u2060\u2066\u2069\uFEFF\u{E0041}\u{E0100}';

/** A text with several of them; the same for the same number. */
export function hostileText(seed: number): string {
  const at = (step: number, length: number): number => (seed * 7 + step * 11) % length;
  const signs = Array.from(characters);
  return Array.from(
    { length: 4 },
    (_, step) =>
      `${sequences[at(step, sequences.length)]}${mark}${signs[at(step, signs.length)]}${seed}`,
  ).join(' ');
}

/** The colours and cursor movements that our own programs write. */
const ours = /\u001B\[(?:(?:1|2|22|31|32|33|39)m|2K|G|\d+F|J)(?!FORGED)/g;
/** What the line editor of Node writes around a line that is typed, and we around an editor. */
const editor = /\u001B\[(?:\d+[GCDAB]|0J|\?2004[hl])(?!FORGED)|\r(?=\u001B|$)/g;

/** The control and invisible characters on a screen that are not ours, each with what follows it. */
export function foreignControls(screen: string, isEdited = false): readonly string[] {
  const own = screen.replaceAll(/\r+\n/g, '\n').replaceAll(ours, '');
  const rest = isEdited ? own.replaceAll(editor, '') : own;
  return rest.match(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}].{0,20}/gu) ?? [];
}
