import { applyEdits, modify, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { parse, stringify } from 'smol-toml';
import { isRecord } from '../setting.ts';

/** The name of our entry in every client. */
export const entryName = 'tutti';

/** Edits one entry of a settings file and keeps all other text as it is. */
export interface EntryFormat {
  /** The settings as data. Throws `SettingsTextError` when the text is not valid. */
  parse(text: string): Readonly<Record<string, unknown>>;
  /** Adds the entry to the section, which is made where it is missing. There must be none of that name. */
  add(text: string, section: string, entry: Readonly<Record<string, unknown>>): string;
  /** Takes the entry out, and the section with it when `dropSection` is set and nothing else is in it. */
  remove(text: string, section: string, options: { readonly dropSection: boolean }): string;
}

/** A settings file that cannot be edited; the message is the reason, as half a sentence. */
export class SettingsTextError extends Error {}

/** The line ending of a text; that of its first line. */
function lineEnding(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** JSON with comments, trailing commas and a byte order mark: all of them are kept. */
export const jsonFormat: EntryFormat = {
  parse(text) {
    const root = rootOf(text);
    const value = root === undefined ? {} : valueOf(root);
    if (!isRecord(value)) throw new SettingsTextError('it is not a JSON object');
    return value;
  },
  add(text, section, entry) {
    const root = rootOf(text);
    const style = { eol: lineEnding(text), unit: indentUnit(text) };
    if (root === undefined) {
      const start = text === '' || /[\n\uFEFF]$/.test(text) ? text : text + style.eol;
      const whole = { [section]: { [entryName]: entry } };
      return `${start}${render(whole, '', style)}${style.eol}`;
    }
    if (root.type !== 'object') throw new SettingsTextError('it is not a JSON object');
    const holder = memberOf(root, section);
    if (holder === undefined) {
      return insertMember(text, {
        parent: root,
        key: section,
        value: { [entryName]: entry },
        style,
      });
    }
    if (holder.type !== 'object') throw new SettingsTextError(`its "${section}" is not an object`);
    return insertMember(text, { parent: holder, key: entryName, value: entry, style });
  },
  remove(text, section, { dropSection }) {
    const without = removePath(text, [section, entryName]);
    const left = jsonFormat.parse(without)[section];
    const isEmpty = isRecord(left) && Object.keys(left).length === 0;
    return dropSection && isEmpty ? removePath(without, [section]) : without;
  },
};

function rootOf(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const blank = blankMark(text);
  let root: Node | undefined;
  try {
    root = parseTree(blank, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (error) {
    if (error instanceof RangeError) throw new SettingsTextError('it is nested too deeply');
    throw error;
  }
  const [first] = errors;
  if (first === undefined) return root;
  const line = blank.slice(0, first.offset).split('\n').length;
  throw new SettingsTextError(`it is not valid JSON (line ${line})`);
}

/** The parser does not know the byte order mark; offsets stay the same with a space in its position. */
function blankMark(text: string): string {
  return text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text;
}

/** Unlike `getNodeValue` of the library, without a special meaning of `__proto__`. */
function valueOf(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(valueOf);
  if (node.type !== 'object') return node.value;
  return Object.fromEntries(
    (node.children ?? []).map(({ children: [key, value] = [] }) => [
      String(key?.value),
      value && valueOf(value),
    ]),
  );
}

/** Of members with the same key the last one counts, as in every JSON parser. */
function memberOf(parent: Node, key: string): Node | undefined {
  const found = parent.children?.findLast(({ children: [name] = [] }) => name?.value === key);
  return found?.children?.[1];
}

interface Style {
  readonly eol: string;
  readonly unit: string;
}

interface Insertion {
  readonly parent: Node;
  readonly key: string;
  readonly value: unknown;
  readonly style: Style;
}

/** Adds a member behind the last one and behind the comments that follow it. */
function insertMember(text: string, { parent, key, value, style }: Insertion): string {
  const close = parent.offset + parent.length - 1;
  const last = parent.children?.at(-1);
  const lastEnd = last === undefined ? parent.offset + 1 : last.offset + last.length;
  const tail = text.slice(lastEnd, close);
  const hasComma = withoutComments(tail).includes(',');
  const kept = tail.trimEnd();
  const space = tail.slice(kept.length);
  const outer = indentAt(text, parent.offset);
  const inner =
    last === undefined ? outer + style.unit : indentAt(text, last.offset, outer + style.unit);
  const member = `${JSON.stringify(key)}: ${render(value, inner, style)}`;
  return [
    text.slice(0, lastEnd),
    last === undefined || hasComma ? '' : ',',
    kept,
    `${style.eol}${inner}${member}`,
    hasComma ? ',' : '',
    space.includes('\n') ? space : `${style.eol}${outer}`,
    text.slice(close),
  ].join('');
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\r\n]*/g, '');
}

/** The white space at the start of the line; `fallback` when something else stands before the offset. */
function indentAt(text: string, offset: number, fallback?: string): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  return fallback !== undefined && indent.length < line.length ? fallback : indent;
}

/** The first indentation in the text, two spaces when there is none. */
function indentUnit(text: string): string {
  return /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
}

function render(value: unknown, indent: string, { eol, unit }: Style): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
}

function removePath(text: string, path: readonly string[]): string {
  const edits = modify(blankMark(text), [...path], undefined, {});
  return applyEdits(text, edits);
}

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
