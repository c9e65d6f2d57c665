import { parse, stringify } from 'smol-toml';
import { entryName, lineEnding, SettingsTextError, type EntryFormat } from './entry-format.ts';

/** TOML: the entry is a table of its own at the end of the file. */
export const tomlFormat: EntryFormat = {
  parse(text) {
    try {
      return parse(text.replace(/^\uFEFF/, ''));
    } catch (error) {
      const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
      throw new SettingsTextError(`it is not valid TOML (${reason.trim()})`);
    }
  },
  add(text, section, entry) {
    const eol = lineEnding(text);
    const block = stringify({ [section]: { [entryName]: entry } })
      .trim()
      .split('\n')
      .filter((line) => line.trim() !== `[${section}]`)
      .join(eol);
    const isStart = text.trim() === '';
    const gap = isStart ? '' : text.endsWith('\n') ? eol : eol + eol;
    const after = `${text}${gap}${block}${eol}`;
    try {
      tomlFormat.parse(after);
    } catch {
      throw new SettingsTextError(
        `its "${section}" is written inline; write it as [${section}.NAME] tables`,
      );
    }
    return after;
  },
  remove(text, section) {
    const own = new RegExp(
      String.raw`^[ \t]*\[\s*${section}\s*\.\s*"?${entryName}"?\s*(?:\.[^\]\r\n]*)?\]`,
    );
    let isOwn = false;
    const kept = text.split(/(?<=\n)/).filter((line) => {
      if (/^[ \t]*\[/.test(line) && (isOwn ? !isArrayLine(line) : true)) isOwn = own.test(line);
      return !isOwn;
    });
    return kept.join('');
  },
};

/** A line of an array that spans lines begins with a bracket, too, and is no header. */
function isArrayLine(line: string): boolean {
  return !/^[ \t]*\[{1,2}[^[\],]+\]{1,2}[ \t]*(?:#.*)?\r?\n?$/.test(line);
}
