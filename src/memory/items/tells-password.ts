/** "The db password is hunter2", "API key: x1-…": a name of a credential, and shortly behind it what it is. */
const telling =
  /\b(?:pass(?:word|phrase|code)|passwd|pwd|pin|(?:api|access|secret|private|license)[ _-]?key|secret|token|credential)s?\b[^.\n]{0,40}?(?:\b(?:is|are|was|equals|lautet|ist)\b|[:=])\s*(?<value>["'`][^"'`\n]{3,}["'`]|\S{4,})(?<rest>[^\n]*)/giu;

/** Letters and digits or signs together, as people choose passwords; a path, a variable or a file is none. */
const mixed = /(?=.*\p{L})(?=.*[\d!@#$%^&*+=~?<>|])/u;
const reference = /^(?:\$|\.{0,2}\/|https?:|env\b|<|\{)/iu;
/** What is said about a password rather than being one: "required", "optional", "rotated". */
const property = /(?:ed|en|al|le|ing|ory|ly|ent|ive|ary|set|here|there|wrong|valid|safe|secret)$/iu;

/** Whether a sentence tells a password or key in plain words, which no pattern of a provider fits. */
export function tellsPassword(text: string): boolean {
  for (const { groups } of text.matchAll(telling)) {
    const given = groups?.['value'] ?? '';
    const value = given.replaceAll(/^["'`]|["'`]?[.,;!?]*$/gu, '');
    const isLast = /^[\s.!]*$/u.test(groups?.['rest'] ?? '');
    if (value.length < 4 || reference.test(value)) continue;
    if (/^["'`]/u.test(given) || mixed.test(value)) return true;
    if (isLast && !property.test(value)) return true;
  }
  return false;
}
