/**
 * The pattern (flags `u`, `g`) of one character that a reader does not see, or that hides, reorders or fakes text:
 * control characters but newline and tab, bidirectional controls, zero-width characters, variation selectors, tags,
 * line separators. Those that an emoji of several characters consists of are none.
 */
export const unseenCharacter = [
  String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`,
  String.raw`(?<![\n\t])`,
  // A digit with a selector alone looks like the digit; with the key around it, it is an emoji.
  String.raw`(?<!(?![#*0-9])\p{Emoji}\uFE0F)(?<![#*0-9]\uFE0F(?=\u20E3))`,
  String.raw`(?<!\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?\u200D(?=\p{Extended_Pictographic}|$))`,
].join('');

const unseen = new RegExp(unseenCharacter, 'gu');

/** Text in which everything can be seen: `\u001b` in place of an escape character, and the like. JSON stays the same JSON. */
export function escapeUnseen(text: string): string {
  return text.replaceAll(unseen, escapeCharacter);
}

/** The same on one line, where a second line could pass for something else. */
export function escapeLine(text: string): string {
  return escapeUnseen(text).replaceAll(/[\n\t]/g, ' ');
}

/** One line without what is not seen: each run of it, and of line breaks and tabs, is a space. */
export function blankUnseen(text: string): string {
  return text.replaceAll(/[\n\t]/g, ' ').replaceAll(unseenRun, ' ');
}

const unseenRun = new RegExp(`(?:${unseenCharacter})+`, 'gu');

function escapeCharacter(character: string): string {
  // A `u` pattern takes characters above U+FFFF whole; JSON writes them as two units.
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
