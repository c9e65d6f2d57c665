import type { z } from 'zod';
import { settingsSchema } from '../contract/settings/index.ts';
import {
  type Assignment,
  joinKey,
  joinLayers,
  type Layer,
  type SettingProblem,
  type SettingSource,
} from './settings.ts';
import { checkValue, unknownKey } from './check-value.ts';
import { coerceChoices } from './read-texts.ts';
import { refuseInProject } from './project-limits.ts';
import { decodeText, readBytes } from './locked-file.ts';
import { asSchema, groupOf, type Setting } from './setting.ts';
import {
  createSettingsDocument,
  type DocumentEntry,
  findRepeatedKeys,
  type SettingsDocument,
  type SettingsFile,
} from './settings-document.ts';

/** A settings file longer than this is not one. */
export const maxFileBytes = 65_536;

/** The settings in a YAML file; undefined when there is no such file. */
export async function readSettingsFile(
  settings: readonly Setting[],
  file: SettingsFile,
): Promise<Layer | undefined> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readBytes(file.path, maxFileBytes + 1);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return problemWith(file, 'a readable file', `none: ${reason}`);
  }
  if (bytes === undefined) return undefined;
  return readSettingsBytes(settings, file, bytes);
}

/** The settings in the bytes of a file, or of what is to become one. */
export async function readSettingsBytes(
  settings: readonly Setting[],
  file: SettingsFile,
  bytes: Uint8Array,
): Promise<Layer> {
  if (bytes.length > maxFileBytes) {
    return problemWith(file, `a file of at most ${maxFileBytes} bytes`, 'a larger one');
  }
  const text = decodeText(bytes);
  if (text === undefined) return problemWith(file, 'UTF-8 text', 'bytes that are not');
  try {
    return await readText(settings, file, text);
  } catch (error) {
    // The YAML parser recurses, so hostile nesting ends as an overflow of the stack.
    if (error instanceof RangeError) return problemWith(file, 'settings', 'text nested too deeply');
    // And it refuses to unfold aliases beyond their limit with this class.
    if (error instanceof ReferenceError)
      return problemWith(file, 'aliases that resolve, and few', describeAliasError(error.message));
    throw error;
  }
}

function problemWith(file: SettingsFile, expected: string, found: string): Layer {
  const source = { kind: file.kind, file: file.path, line: 1, column: 1 } as const;
  return { assignments: [], problems: [{ source, key: '', expected, found }] };
}

async function readText(
  settings: readonly Setting[],
  file: SettingsFile,
  text: string,
): Promise<Layer> {
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    // The parser compares every pair of keys; `repeatedKeys` finds the same in linear time.
    uniqueKeys: false,
    logLevel: 'error',
  });
  if (document.errors.length > 0) {
    const problems = document.errors.map((error): SettingProblem => {
      const { line, col } = lines.linePos(error.pos[0]);
      const source = { kind: file.kind, file: file.path, line, column: col };
      return { source, key: '', expected: 'YAML', found: describeSyntaxError(error.message) };
    });
    return { assignments: [], problems };
  }
  if (document.directives.yaml.version !== '1.2') {
    // Older ones merge keys, so that the entries that are read are not those that are written.
    return problemWith(file, 'YAML 1.2', `"%YAML ${document.directives.yaml.version}"`);
  }
  const settingsDocument = createSettingsDocument({ yaml, document, lines, file });
  const { root } = settingsDocument;
  const everything = { key: '', keyNode: undefined, valueNode: root };
  return joinLayers([
    { assignments: [], problems: findRepeatedKeys(settingsDocument, yaml) },
    readGroup(
      {
        document: settingsDocument,
        file,
        byKey: new Map(settings.map((setting) => [setting.key, setting])),
      },
      { schema: settingsSchema, path: [], entry: everything },
    ),
  ]);
}

/** The parser overflows the stack on hostile nesting and reports that as an error in the text. */
function describeSyntaxError(message: string): string {
  return /call stack/.test(message) ? 'text nested too deeply' : `an error: ${message}`;
}

/** The alias is not named: it may be a password that begins with a star. */
function describeAliasError(message: string): string {
  return /count/i.test(message)
    ? 'too many'
    : 'an alias of nothing; put a text that begins with * in quotes';
}

interface Reading {
  readonly document: SettingsDocument;
  readonly file: SettingsFile;
  readonly byKey: ReadonlyMap<string, Setting>;
}

/** A place in the file beside the place in the schema it belongs to. */
interface Spot<Schema extends z.ZodType> {
  readonly schema: Schema;
  readonly path: readonly string[];
  readonly entry: DocumentEntry;
}

function readGroup(reading: Reading, spot: Spot<z.ZodObject>): Layer {
  const { document } = reading;
  const known = Object.keys(spot.schema.shape);
  const entries = document.entries(spot.entry.valueNode);
  if (entries === undefined) {
    const isList = Array.isArray(document.value(spot.entry.valueNode));
    return problemAt(document.valuePlace(spot.entry), {
      key: spot.path.join('.'),
      expected: `a group of keys (${known.join(', ')})`,
      found: isList ? 'a list' : 'a single value',
    });
  }
  return joinLayers(
    entries.map((entry) => {
      const path = [...spot.path, entry.key];
      const inner = Object.hasOwn(spot.schema.shape, entry.key)
        ? spot.schema.shape[entry.key]
        : undefined;
      if (inner !== undefined) return readKey(reading, { schema: asSchema(inner), path, entry });
      return problemAt(document.keyPlace(entry), {
        key: path.join('.'),
        ...unknownKey(entry.key, known),
      });
    }),
  );
}

function readKey(reading: Reading, { schema, path, entry }: Spot<z.ZodType>): Layer {
  const group = groupOf(schema);
  if (group) return readGroup(reading, { schema: group, path, entry });
  const setting = reading.byKey.get(path.join('.'));
  if (setting === undefined) return joinLayers([]);
  const { document, file } = reading;
  if (file.kind === 'project' && setting.traits.isUserOnly === true) {
    return problemAt(document.keyPlace(entry), refuseInProject(setting, file.userPath));
  }
  return readSetting(document, setting, entry);
}

function readSetting(document: SettingsDocument, setting: Setting, entry: DocumentEntry): Layer {
  const written = coerceChoices(setting.schema, document.value(entry.valueNode));
  // A map whose last entry was taken out by hand is empty, and no mistake.
  const value = setting.isMap && written === null ? {} : written;
  const problems = checkValue(setting.schema, value);
  if (problems.length > 0) {
    return joinLayers(
      problems.map(({ path, isKey, ...problem }) => {
        const part = document.within(entry, path);
        const source = isKey === true ? document.keyPlace(part) : document.valuePlace(part);
        return problemAt(source, { key: joinKey(setting.key, path), ...problem });
      }),
    );
  }
  const source = document.keyPlace(entry);
  if (!setting.isMap) return { assignments: [{ setting, value, source }], problems: [] };
  const entries = document.entries(entry.valueNode) ?? [];
  const unholdable = entries.find(({ key }) => key === '__proto__');
  if (unholdable) {
    // The schema does not see it: objects have something else under this name.
    return problemAt(document.keyPlace(unholdable), {
      key: joinKey(setting.key, ['__proto__']),
      expected: 'another name',
      found: '"__proto__"',
    });
  }
  const assignments = entries.map((inner): Assignment => ({
    setting,
    entry: inner.key,
    value: document.value(inner.valueNode),
    source: document.keyPlace(inner),
  }));
  return { assignments, problems: [] };
}

function problemAt(source: SettingSource, problem: Omit<SettingProblem, 'source'>): Layer {
  return { assignments: [], problems: [{ source, ...problem }] };
}
