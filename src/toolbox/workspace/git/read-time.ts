const units = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const;
type Unit = (typeof units)[number];

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const months =
  'january february march april may june july august september october november december'.split(
    ' ',
  );
const numbers = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const numberWords = new Map([
  ['a', 1],
  ['an', 1],
  ...numbers.map((word, value) => [word, value] as const),
]);

const hours = { morning: 0, noon: 12, lunch: 12, afternoon: 12, evening: 18, night: 18 };
const saturday = 6;
const daysAWeek = 7;

/**
 * The time that a text such as "yesterday", "3 days ago", "last monday" or "2026-01-31" stands for, by the local clock;
 * undefined where it stands for none. Git's own reader takes any text, and what it does not know as now.
 */
export function readTime(text: string, now: Date): Date | undefined {
  const words = text
    .trim()
    .toLowerCase()
    .replace(/^(?:since|from|after|on|at) /, '')
    .replace(/\b(?:a )?couple\b/, '2')
    .replace(/\ba few\b/, '3')
    .replaceAll(/\bpast\b/g, 'last')
    .replaceAll(/\b(?:the|in|of)\s+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const readers = [readIso, readAgo, readDay, readCalendar];
  for (const read of readers) {
    const time = read(words, now);
    if (time !== undefined && !Number.isNaN(time.getTime())) return time;
  }
  return undefined;
}

function readIso(text: string): Date | undefined {
  const found =
    /^(\d{4}-\d{2}-\d{2})(?:[t ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(z|[+-]\d{2}:?\d{2})?)?$/.exec(
      text,
    );
  if (!found) return undefined;
  const [, day = '', time = '00:00', zone = ''] = found;
  return new Date(`${day}T${time}${zone.toUpperCase()}`);
}

/** "3 days ago", "an hour ago", "last 2 weeks", "last month". */
function readAgo(text: string, now: Date): Date | undefined {
  const found =
    /^(?:last )?(?:(\d{1,4}|[a-z]+) )?(minute|hour|day|week|month|year)s?(?: ago)?$/.exec(text);
  const [, count = 'one', unit] = found ?? [];
  const many = /^\d/.test(count) ? Number(count) : numberWords.get(count);
  if (unit === undefined || many === undefined) return undefined;
  // The pattern names the units.
  return before(now, many, unit as Unit);
}

function before(now: Date, count: number, unit: Unit): Date {
  const time = new Date(now);
  if (unit === 'minute') time.setMinutes(time.getMinutes() - count);
  else if (unit === 'hour') time.setHours(time.getHours() - count);
  else if (unit === 'month') time.setMonth(time.getMonth() - count);
  else if (unit === 'year') time.setFullYear(time.getFullYear() - count);
  else time.setDate(time.getDate() - count * (unit === 'week' ? daysAWeek : 1));
  return time;
}

/** "today", "yesterday evening", "this morning", "last night", "monday", "last friday", "weekend". */
function readDay(text: string, now: Date): Date | undefined {
  const [, day = '', part] =
    /^(.*?)\s*\b(morning|noon|lunch|afternoon|evening|night)?$/.exec(text) ?? [];
  const daysAgo = findDaysAgo(day, part, now.getDay());
  if (daysAgo === undefined) return undefined;
  const time = midnight(now, daysAgo);
  // The pattern names the parts.
  if (part !== undefined) time.setHours(hours[part as keyof typeof hours]);
  return time;
}

function findDaysAgo(day: string, part: string | undefined, today: number): number | undefined {
  if (day === 'today' || day === 'this')
    return part === undefined && day === 'this' ? undefined : 0;
  if (day === '' && part !== undefined) return 0;
  if (day === 'yesterday' || (day === 'last' && part !== undefined)) return 1;
  const isLast = day.startsWith('last ');
  const name = day.replace(/^(?:last|this) /, '');
  if (name === 'weekend') return (today - saturday + daysAWeek) % daysAWeek || daysAWeek;
  const weekday = weekdays.findIndex((each) => name === each || name === each.slice(0, 3));
  if (weekday < 0) return undefined;
  const ago = (today - weekday + daysAWeek) % daysAWeek;
  return isLast && ago === 0 ? daysAWeek : ago;
}

/** "this week", "beginning year", "january", "3 march", "march 3, 2025". */
function readCalendar(text: string, now: Date): Date | undefined {
  const [, unit] =
    /^(?:this|beginning|beginning this|start|start this) (week|month|year)$/.exec(text) ?? [];
  if (unit === 'week') return midnight(now, (now.getDay() + daysAWeek - 1) % daysAWeek);
  if (unit !== undefined) {
    return new Date(now.getFullYear(), unit === 'month' ? now.getMonth() : 0, 1);
  }
  const date =
    /^(?:last )?(?:(\d{1,2})(?:st|nd|rd|th)? )?([a-z]{3,9})(?: (\d{1,2})(?:st|nd|rd|th)?)?(?:,? (\d{4}))?$/.exec(
      text,
    );
  const month = months.findIndex((name) => name === date?.[2] || name.slice(0, 3) === date?.[2]);
  if (!date || month < 0) return undefined;
  const time = new Date(
    Number(date[4] ?? now.getFullYear()),
    month,
    Number(date[1] ?? date[3] ?? 1),
  );
  if (date[4] === undefined && time > now) time.setFullYear(time.getFullYear() - 1);
  return time;
}

function midnight(now: Date, daysAgo: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo);
}
