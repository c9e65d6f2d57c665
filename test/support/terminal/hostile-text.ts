import { seededRandom } from '../../../testkit/sample.ts';

/** Text that does something to a terminal, or hides from those who read it, and what of it must never arrive there. */

/** Follows each escape sequence, so that one of ours is told from one that was let through. */
const mark = 'FORGED';

const foreign = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/u;

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
/** Every character that is not seen, but newline and tab. */
const characters = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => foreign.test(character));
/** Most of all characters are tags and selectors; half of those that are taken are none. */
const common = characters.filter((character) => character < '\u{E0000}');

/** A text with several of them; the same for the same number. */
export function hostileText(seed: number): string {
  const random = seededRandom(seed);
  const one = <Item>(items: readonly Item[]): Item | undefined =>
    items[Math.floor(random() * items.length)];
  return Array.from(
    { length: 4 },
    () => `${one(sequences)}${mark}${one(random() < 0.5 ? common : characters)}${seed}`,
  ).join(' ');
}

/** Hostile texts by number; others for another seed. */
export interface HostileTexts {
  readonly seed: number;
  /** The name of a server that may be configured. */
  readonly evil: string;
  readonly text: (number: number) => string;
  /** What a file may be called: no zero, and no slash. */
  readonly name: (number: number) => string;
}

export function hostileTexts(round: number): HostileTexts {
  const seed = round * 10_000;
  const text = (number: number): string => hostileText(seed + number);
  const name = (number: number): string => text(number).replaceAll(/[/\0]/g, '');
  return { seed, evil: 'e\u200Bvil', text, name };
}

/** The colours and cursor movements that our own programs write. */
const ours = /\u001B\[(?:(?:1|2|22|31|32|33|39)m|2K|G|\d+F|J)(?!FORGED)/g;
/** What the line editor of Node writes around a line that is typed, and we around an editor. */
const editor = /\u001B\[(?:\d+[GCDAB]|0J|\?2004[hl])(?!FORGED)|\r(?=\u001B|$)/g;

/** The control and invisible characters on a screen that are not ours, each with what follows it. */
export function foreignControls(screen: string, isEdited = false): readonly string[] {
  const own = screen.replaceAll(/\r+\n/g, '\n').replaceAll(ours, '');
  const rest = isEdited ? own.replaceAll(editor, '') : own;
  return rest.match(new RegExp(`${foreign.source}.{0,20}`, 'gu')) ?? [];
}
