/** A reply that means something only after what was said before it. */
export type ShortReply = 'yes' | 'no' | 'continue';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** A reply that begins with one of these, and has nothing but these and `tail`, is that reply. */
const yes = words(
  'y yes yep yeah yup yea ya ok okay k sure fine alright absolutely definitely certainly correct right go run do proceed accept approve please ja klar oui si sí да давай хорошо',
);
const yesTail = words('it that this them ahead for now then sounds looks good great lets');
const no = words(
  'n no nope nah nay stop abort cancel never none neither dont not leave forget drop skip deny nein non нет nicht',
);
const noTail = words(
  'it that this them these those of the above mind now thanks thank you please way do one',
);
const yesPhrases = words('that_one this_one sounds_good looks_good');
const goOn =
  /^(?:continue|go on|carry on|keep going|resume|done|approved|i approved it|weiter|продолжай)$/;
const maxWords = 6;

/** Undefined for a message that makes sense by itself. */
export function readShortReply(text: string): ShortReply | undefined {
  const said = tokensOf(text);
  const [first = ''] = said;
  if (said.length === 0 || said.length > maxWords) return undefined;
  if (goOn.test(said.join(' '))) return 'continue';
  const isNo = no.has(first) || /^do not\b/.test(said.join(' '));
  if (isNo && said.every((word) => no.has(word) || noTail.has(word))) return 'no';
  if (yesPhrases.has(said.join('_'))) return 'yes';
  const isYes = yes.has(first) && said.every((word) => yes.has(word) || yesTail.has(word));
  return isYes ? 'yes' : undefined;
}

const ordinals = words('first second third fourth fifth sixth seventh eighth ninth');
const numbers = words('one two three four five six seven eight nine');
const around = words(
  'the a option number plan reading choice variant nr no please i want take choose pick use go with run do yes ok my',
);

/** The position that "2", "option 2", "the second one" or "the last" means, from 1; -1 for the last. */
export function readChoice(text: string): number | undefined {
  const said = tokensOf(text).filter((word) => !around.has(word));
  const [only = '', another] = said[1] === 'one' || said[1] === 'ones' ? said.slice(0, 1) : said;
  if (another !== undefined) return undefined;
  const digits = /^#?(\d{1,2})(?:st|nd|rd|th)?$/.exec(only)?.[1];
  if (digits !== undefined) return Number(digits);
  if (only === 'last') return -1;
  const position = [ordinals, numbers].map((set) => [...set].indexOf(only)).find((at) => at >= 0);
  return position === undefined ? undefined : position + 1;
}

/** Words in lower case, without the marks people end them with. */
function tokensOf(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .split(/[\s.,!?;:()[\]"]+/)
    .filter((word) => word !== '');
}
