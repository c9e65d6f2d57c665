const day = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';
const unit = `(?:(?:other |second |single )?(?:minute|hour|day|night|morning|evening|week|weekday|month|${day})|\\d{1,3} (?:minutes|hours|days|weeks))`;
const clock =
  '(?: (?:at|around|um) (?:\\d{1,2}(?::\\d\\d)?(?: ?(?:am|pm|uhr|o.clock))?|noon|midnight))?';
const times = [
  `(?:every|each) ${unit}s?${clock}`,
  `(?:daily|hourly|nightly|weekly|monthly)${clock}`,
  `on ${day}s${clock}`,
  `(?:tomorrow|tonight|next (?:week|month|${day})|on ${day}|in \\d{1,3} (?:minutes|hours|days|weeks))${clock}`,
  'at (?:\\d{1,2}:\\d\\d(?: ?(?:am|pm))?|\\d{1,2} ?(?:am|pm|o.clock)|noon|midnight)',
  `jeden (?:tag|morgen|abend|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|täglich|wöchentlich`,
  `tous les (?:jours|lundis|mardis|mercredis|jeudis|vendredis)|cada (?:d[ií]a|hora|lunes|semana)`,
].join('|');
const atStart = new RegExp(`^(?:please )?(?<when>${times})[,:]? (?<deed>.+)$`, 'isu');
const atEnd = new RegExp(`^(?<deed>.+?),? (?<when>${times})[.!?]*$`, 'isu');
const reminder = /^(?:please )?remind me(?<when>(?: (?!to\b)[\w:]+){0,4}) to (?<deed>.+)$/isu;
/** Questions speak of the past, and what is to be written may well run at times. */
const describesProgram =
  /^(?:what|who|which|when|where|why|how|did|was|were|has|have|is|are)\b|\b(?:writes?|creates?|builds?|implements?|generates?|script|function|program|class|job|cron|that|which)\b/iu;

/** A request that is to be carried out at another time, or again and again; undefined for any other. */
export function readSchedule(
  words: string,
): { readonly when: string; readonly deed: string } | undefined {
  if (describesProgram.test(words)) return undefined;
  const found = [reminder, atStart, atEnd].map((pattern) => pattern.exec(words)?.groups);
  const { when = '', deed = '' } = found.find((groups) => groups !== undefined) ?? {};
  return deed === '' ? undefined : { when: when.trim() || 'remind me', deed: deed.trim() };
}
