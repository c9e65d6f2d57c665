/** A reply that means something only after what was said before it. */
export type ShortReply = 'yes' | 'no' | 'continue';

const yes = new Set(
  'y yes yep yeah ok okay sure go run proceed accept ja klar oui si sí да давай хорошо'.split(' '),
);
const yesPhrases =
  /^(?:go ahead|run it|do it|yes please|please do|go for it|sounds good|that one)$/;
const no = new Set('n no nope stop abort cancel nein non нет nicht'.split(' '));
const noPhrases = /^(?:do not|don't|no thanks|never mind|not now|leave it)$/;
const goOn = /^(?:continue|go on|resume|done|approved|i approved it|weiter|продолжай)$/;

/** Undefined for a message that makes sense by itself. */
export function readShortReply(words: string): ShortReply | undefined {
  const said = plainReplyText(words);
  if (yes.has(said) || yesPhrases.test(said)) return 'yes';
  if (no.has(said) || noPhrases.test(said)) return 'no';
  return goOn.test(said) ? 'continue' : undefined;
}

/** In lower case, without the full stop or exclamation mark people end a short reply with. */
export function plainReplyText(words: string): string {
  return words
    .toLowerCase()
    .replace(/[.!\s]+$/, '')
    .trim();
}
