/** A line that assigns a value to a name: `PORT = 80`, `"port": 80,`, `const port: number = 80;`. */
export interface Assignment {
  /** Counted from 1. */
  readonly line: number;
  readonly name: string;
  readonly indent: number;
  /** The line around the value; undefined where the value is more than a literal or a plain text. */
  readonly parts?: { readonly before: string; readonly value: string; readonly after: string };
}

/** Longer lines are generated ones. */
const maxLineChars = 1000;
const beginning =
  /^(?<lead>[ \t]*(?:- )?(?:(?!(?:if|elif|else|while|for|case|when|return|with|assert|not|and|or)\b)[\w<>[\]]+[ \t]+){0,4})(?<quote>["']?)(?<name>[\p{L}_$][\p{L}\p{N}_$.-]*)\k<quote>(?<sign>[ \t]*(?::[ \t]*[\w<>[\]., |?]+?[ \t]*)?(?::=|=(?![=>~])|:)[ \t]*)(?<rest>.*)$/u;
const end = /^[ \t]*[,;]?[ \t]*(?:(?:#|\/\/|--|\/\*|;).*)?$/u;
const literal = /^(?:[+-]?[\d.][\w.]*%?|true|false|null|none|nil|undefined|on|off|yes|no)$/iu;
/** Here a text needs no quotes, and a colon assigns. */
const isSettingsFile = /\.(?:ya?ml|toml|ini|cfg|conf|env|properties)$|(?:^|\/)\.env/iu;

/** The lines that assign something to a name; case, `_` and `-` make no difference unless one is as written. */
export function findAssignments(path: string, text: string, name: string): readonly Assignment[] {
  const found = text.split(/\r\n|\n|\r/u).flatMap((line, at): readonly Assignment[] => {
    const groups = line.length > maxLineChars ? undefined : beginning.exec(line)?.groups;
    if (!groups || plain(groups['name']) !== plain(name)) return [];
    const { lead = '', quote = '', name: written = '', sign = '', rest = '' } = groups;
    const value = readValue(rest, isSettingsFile.test(path));
    // "debug: boolean" declares a type.
    const isDeclared = sign.trim() === ':' && !value?.isLiteral && !isSettingsFile.test(path);
    if (isDeclared) return [];
    const before = `${lead}${quote}${written}${quote}${sign}`;
    return [
      {
        line: at + 1,
        name: written,
        indent: lead.length - lead.trimStart().length,
        ...(value && {
          parts: { before, value: value.text, after: rest.slice(value.text.length) },
        }),
      },
    ];
  });
  const exact = found.filter((one) => one.name === name);
  const meant = exact.length > 0 ? exact : found;
  const least = Math.min(...meant.map(({ indent }) => indent));
  // The version of the project, not those of what it lists.
  return meant.filter(({ indent }) => indent === least);
}

/** The line with another value, written as the old one was. */
export function assign(path: string, { parts }: Assignment, value: string): string | undefined {
  if (!parts) return undefined;
  const bare = value.replace(/^(["'])(.*)\1$/u, '$2');
  return `${parts.before}${writtenLike(parts.value, bare, isSettingsFile.test(path))}${parts.after}`;
}

function plain(name = ''): string {
  return name.toLowerCase().replaceAll(/[\s_-]+/gu, '');
}

function readValue(
  rest: string,
  isText: boolean,
): { readonly text: string; readonly isLiteral: boolean } | undefined {
  const quoted = /^(["'`])(?:\\.|(?!\1|\\).)*\1/u.exec(rest)?.[0];
  if (quoted !== undefined)
    return end.test(rest.slice(quoted.length)) ? { text: quoted, isLiteral: true } : undefined;
  const bare = /^[^\s,;#"'`{}()[\]]+/u.exec(rest)?.[0] ?? '';
  if (literal.test(bare) && end.test(rest.slice(bare.length)))
    return { text: bare, isLiteral: true };
  const words = /^[^#"'`{}()[\]|>&*]+?(?=\s+#|\s*$)/u.exec(rest)?.[0];
  return isText && words ? { text: words, isLiteral: false } : undefined;
}

const pairs = [
  ['True', 'False'],
  ['true', 'false'],
  ['TRUE', 'FALSE'],
  ['on', 'off'],
  ['yes', 'no'],
] as const;
const yes = /^(?:true|on|yes|enable|enabled)$/iu;
const no = /^(?:false|off|no|disable|disabled)$/iu;

function writtenLike(old: string, value: string, isText: boolean): string {
  const quote = /^["'`]/u.exec(old)?.[0];
  if (quote !== undefined)
    return `${quote}${value.replaceAll(/["'`\\]/gu, escapeQuote(quote))}${quote}`;
  const pair = pairs.find((some) => some.some((one) => one === old));
  if (pair && yes.test(value)) return pair[0];
  if (pair && no.test(value)) return pair[1];
  return literal.test(value) || (isText && !quoteNeeded.test(old)) ? value : JSON.stringify(value);
}

/** In TOML a text has quotes, so a bare value is none. */
const quoteNeeded = /^[+-]?\d/u;

function escapeQuote(quote: string): (found: string) => string {
  return (found) => (found === quote || found === '\\' ? `\\${found}` : found);
}
