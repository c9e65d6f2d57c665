/** What finds a name by its text, in this module or in the one that calls. */
const lookups =
  /(?:(?<![\w.])|\bbuiltins\.|__builtins__\.)(?:eval|exec|globals|locals|vars)\b|(?<![\w.])dir\(\)|\[__name__\]|\bf_(?:globals|locals)\b|\b__main__ import\b/;

const exportList = /\b__all__\b/g;

/** A list of names in quotes and nothing after it: Ruff reads that and keeps what it names. */
const literalExportList =
  /\b__all__[ \t]{0,8}\+?=[ \t]{0,8}[[(]\s{0,80}(?:(?:"\w{1,100}"|'\w{1,100}')\s{0,80}(?:,\s{0,80})?){0,5000}[\])][ \t]{0,8}\r?$/gm;

/**
 * Whether a Python text may use names without writing them as names: by `eval`, `globals()` and the
 * like, or by an `__all__` that is computed. Words in comments and strings count too.
 */
export function looksUpNames(text: string): boolean {
  if (lookups.test(text)) return true;
  const lists = text.match(exportList)?.length ?? 0;
  return lists > 0 && lists > (text.match(literalExportList)?.length ?? 0);
}
