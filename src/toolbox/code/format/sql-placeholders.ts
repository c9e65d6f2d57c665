/** A text in which placeholders are names that every SQL parser takes, as long as they were. */
export interface HiddenPlaceholders {
  readonly text: string;
  /** Puts them back into a text that has the same names in the same order. */
  readonly restore: (formatted: string) => string;
}

/** A letter to all parsers, and in no SQL that people write. */
const mark = 'ꙮ';

const opaque = /'[^']*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[^]*?(?:\*\/|$)/.source;
const before = /(?<=[\s(,=<>+*/|-])/.source;
/**
 * `%` is an operator too; behind these it can only start a placeholder. The space is looked at from
 * a `%` only, not from every place in it, so that a lot of space takes no more than linear time.
 */
const beforePercent =
  /(?=%)(?<=[(,=<>]\s*|\b(?:in|values|limit|offset|like|ilike|and|or|where|between|then|else|select|set|is)\s+)/
    .source;
const named = `${before}:[a-z_]\\w*|${beforePercent}%(?:\\(\\w{1,100}\\))?s\\b`;

const namedOnly = new RegExp(`${opaque}|(${named})`, 'gi');
const namedAndAt = new RegExp(`${opaque}|(${named}|${before}@[a-z_]\\w*)`, 'gi');

/**
 * Hides `:name`, `%s` and `%(name)s`, which drivers replace before a server sees them; `@name` too if
 * asked to, for PostgreSQL's parser takes its `@` for an operator. `undefined` when there are none.
 */
export function hidePlaceholders(text: string, withAt: boolean): HiddenPlaceholders | undefined {
  if (text.includes(mark)) return undefined;
  const hidden: string[] = [];
  const replaced = text.replace(withAt ? namedAndAt : namedOnly, (piece, placeholder?: string) => {
    if (placeholder === undefined) return piece;
    hidden.push(placeholder);
    return `${mark}${placeholder.slice(1).replace(/\W/g, mark)}`;
  });
  if (hidden.length === 0) return undefined;
  const restore = (formatted: string): string => {
    let next = 0;
    return formatted.replace(new RegExp(`${mark}[\\w${mark}]*`, 'g'), () => hidden[next++] ?? mark);
  };
  return { text: replaced, restore };
}
