import { unseenCharacter } from '../../kernel/index.ts';

/** Sequences that control a terminal: colours, titles, links, clipboard. */
const escapes =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B[\]P^_X]|[\u0090\u009D])[^\u0007\u001B]*(?:\u0007|\u001B\\|$)|\u001B[ -~]?/g;

/** Of the characters that are not seen, those are let through that belong to a flag or to a script, and line breaks. */
const hidden = new RegExp(
  [
    unseenCharacter,
    String.raw`(?<!\r)`,
    String.raw`(?<!\u{1F3F4}[\u{E0061}-\u{E007A}]{0,6}[\u{E0061}-\u{E007A}\u{E007F}])`,
    String.raw`(?<![\p{Script=Arabic}\p{M}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Malayalam}\p{Script=Sinhala}][\u200C\u200D])`,
  ].join(''),
  'gu',
);
/** Marks of direction are common in text that is written from right to left. */
const directionMarks = /^[\u200E\u200F\u061C]$/;
const rightToLeft = /(?=\p{L})[\p{Script=Arabic}\p{Script=Hebrew}]/u;

export function hasEscapes(text: string): boolean {
  return text.search(escapes) >= 0;
}

/** Apart from terminal escapes. */
export function hasHiddenCharacters(text: string): boolean {
  const rest = text.replaceAll(escapes, '');
  return stripHidden(rest) !== rest;
}

/** The text as it is seen. */
export function visibleText(text: string): string {
  return stripHidden(text.replaceAll(escapes, ''));
}

function stripHidden(text: string): string {
  if (text.search(hidden) < 0) return text;
  const isRightToLeft = rightToLeft.test(text);
  return text.replaceAll(hidden, (character) =>
    isRightToLeft && directionMarks.test(character) ? character : '',
  );
}
