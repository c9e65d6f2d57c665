import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type {
  ClientEntry,
  ClientStatus,
  ConnectionChange,
  ConnectionScope,
  ConnectionTarget,
} from '../../contract/client-connection/index.ts';
import { type ClientName, clientTitles } from '../../contract/server-files/index.ts';
import { ClientFileError } from '../errors.ts';
import { makeFolderFor, withFileLock, writeFileAtomically } from '../locked-file.ts';
import type { Surroundings } from '../locate.ts';
import { isRecord } from '../setting.ts';
import {
  clientTarget,
  type ClientTarget,
  isClientFound,
  readSettingsText,
  realTarget,
} from './client-files.ts';
import {
  type EntryFormat,
  entryName,
  jsonFormat,
  SettingsTextError,
  tomlFormat,
} from './client-formats.ts';
import {
  type ConnectionRecord,
  editBetween,
  findRecord,
  revertEdit,
  storeRecord,
} from './connection-records.ts';
import { isTutti } from './convert-server.ts';

export interface ConnectionPlace {
  /** Where Tutti keeps its records. */
  readonly home: string;
  readonly around: Surroundings;
}

/** The change that puts the entry into the client's file, in place of an older one of Tutti. */
export async function planConnect(
  target: ConnectionTarget,
  entry: ClientEntry,
  place: ConnectionPlace,
): Promise<ConnectionChange> {
  const found = await openTarget(target, place);
  const { shape, before, format } = found;
  const after = refusing(found.file, () => {
    const base = withoutEntry(found) ?? '';
    return format.add(base, shape.section, { ...shape.extra, ...entry });
  });
  const notes = target.scope === 'user' ? rootNotes(entry) : [];
  return { ...target, action: 'connect', file: found.file, before, after, entry, notes };
}

function rootNotes({ args }: ClientEntry): readonly string[] {
  const roots = args.flatMap((arg, at) => (args[at - 1] === '--root' ? [arg] : []));
  if (roots.length === 0) return [];
  return [
    `This entry is used in every project you open in the client, and its tools always read ${roots.join(', ')}. ` +
      '--client-roots: the folders open in the client instead; --scope project: an entry for this project only.',
  ];
}

/** The change that takes the entry out again; `before` and `after` are equal when there is none. */
export async function planDisconnect(
  target: ConnectionTarget,
  place: ConnectionPlace,
): Promise<ConnectionChange> {
  const found = await openTarget(target, place);
  const { before, file, record } = found;
  const left = refusing(file, () => withoutEntry(found));
  const after = left === '' && record?.madeFile === true ? undefined : left;
  const entry = { command: '', args: [] };
  return { ...target, action: 'disconnect', file, before, after, entry, notes: [] };
}

/** Writes the change and remembers what it takes to undo it. */
export async function applyChange(change: ConnectionChange, place: ConnectionPlace): Promise<void> {
  const { file, action } = change;
  const found = await openTarget(change, place);
  if (found.before !== change.before || found.file !== file) {
    throw new ClientFileError(file, 'it was changed in the meantime; try again');
  }
  if (action === 'connect') await write(change, found, place);
  else await restore(change, found, place);
}

async function write(
  change: ConnectionChange,
  found: Found,
  { home }: ConnectionPlace,
): Promise<void> {
  const { file, after = '' } = change;
  const { record, shape, format } = found;
  const base = withoutEntry(found) ?? '';
  const madeFolders = record?.madeFolders ?? missingFolders(file);
  await storeRecord(home, file, {
    file,
    edit: editBetween(base, after),
    madeSection: !Object.hasOwn(format.parse(base), shape.section),
    madeFile: record?.madeFile ?? change.before === undefined,
    madeFolders,
  });
  await makeFolderFor(file);
  await withFileLock(file, () => writeFileAtomically(file, after));
}

async function restore(
  { file, before, after }: ConnectionChange,
  { record }: Found,
  { home }: ConnectionPlace,
): Promise<void> {
  if (after === undefined) {
    await rm(file);
    // A folder that something else was put into stays.
    for (const folder of record?.madeFolders ?? []) {
      if (
        !(await rmdir(folder).then(
          () => true,
          () => false,
        ))
      )
        break;
    }
  } else if (after !== before) {
    await withFileLock(file, () => writeFileAtomically(file, after));
  }
  await storeRecord(home, file, undefined);
}

interface Found {
  readonly shape: ClientTarget;
  readonly format: EntryFormat;
  /** The file with links resolved. */
  readonly file: string;
  readonly before: string | undefined;
  readonly record: ConnectionRecord | undefined;
}

async function openTarget(
  target: ConnectionTarget,
  { home, around }: ConnectionPlace,
): Promise<Found> {
  const { client, scope } = target;
  const shape = clientTarget(client, scope, around);
  if (shape === undefined) {
    throw new ClientFileError(
      clientTitles[client],
      'it has no settings per project; use --scope user',
    );
  }
  const file = await realTarget(shape.file, scope, around.cwd);
  const before = await readSettingsText(file);
  const format = shape.format === 'toml' ? tomlFormat : jsonFormat;
  // A record of an entry that is gone says nothing about the file as it is.
  const isConnected =
    before !== undefined &&
    refusing(file, () => entryIn(format.parse(before), shape.section) !== undefined);
  const record = isConnected ? await findRecord(home, file) : undefined;
  return { shape, format, file, before, record };
}

/**
 * The text without our entry: what it was before when our insertion is still there as we made it,
 * otherwise the text as it is with the entry cut out. Everything else in it keeps its value.
 */
function withoutEntry({ before, format, shape, record }: Found): string | undefined {
  if (before === undefined) return undefined;
  const { section } = shape;
  const now = format.parse(before);
  const entry = entryIn(now, section);
  if (entry === undefined) return before;
  if (!isRecord(entry) || !isTutti(entry)) {
    throw new SettingsTextError(
      `its server "${entryName}" is not Tutti; rename or remove that entry`,
    );
  }
  const dropSection = record?.madeSection === true;
  // A section of TOML that has no header of its own goes with its last table.
  const wanted = [true, false].map((isDropped) => plain(dataWithout(now, section, isDropped)));
  const candidates = [
    () => (record === undefined ? undefined : revertEdit(before, record.edit)),
    () => format.remove(before, section, { dropSection }),
  ];
  for (const candidate of candidates) {
    const text = candidate();
    if (text !== undefined && isOneOf(format, text, wanted)) return text;
  }
  throw new SettingsTextError(`its entry "${entryName}" could not be taken out; remove it by hand`);
}

function isOneOf(format: EntryFormat, text: string, wanted: readonly unknown[]): boolean {
  try {
    const found = plain(format.parse(text));
    return wanted.some((data) => isDeepStrictEqual(found, data));
  } catch (error) {
    if (error instanceof SettingsTextError) return false;
    throw error;
  }
}

/** Parsers differ in the prototypes and dates they make. */
function plain(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data));
}

function entryIn(settings: Readonly<Record<string, unknown>>, section: string): unknown {
  const holder = settings[section];
  return isRecord(holder) && Object.hasOwn(holder, entryName) ? holder[entryName] : undefined;
}

function dataWithout(
  settings: Readonly<Record<string, unknown>>,
  section: string,
  dropSection: boolean,
): unknown {
  const holder = settings[section];
  const { [entryName]: _entry, ...others } = isRecord(holder) ? holder : {};
  const { [section]: _section, ...rest } = settings;
  const isDropped = dropSection && Object.keys(others).length === 0;
  return isDropped ? rest : { ...settings, [section]: others };
}

function refusing<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof SettingsTextError) throw new ClientFileError(file, error.message);
    throw error;
  }
}

function missingFolders(file: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(file); !existsSync(folder); folder = dirname(folder))
    missing.push(folder);
  return missing;
}

const scopes: readonly ConnectionScope[] = ['user', 'project'];

/** Every client we know: whether it is installed here, and which of its files have an entry of Tutti. */
export async function listClients(around: Surroundings): Promise<readonly ClientStatus[]> {
  // The keys of the table are the names.
  const clients = Object.keys(clientTitles) as ClientName[];
  return Promise.all(clients.map((client) => statusOf(client, around)));
}

async function statusOf(client: ClientName, around: Surroundings): Promise<ClientStatus> {
  const connected: { scope: ConnectionScope; file: string }[] = [];
  let problem: string | undefined;
  for (const scope of scopes) {
    const target = clientTarget(client, scope, around);
    if (target === undefined) continue;
    try {
      const text = await readSettingsText(target.file);
      const format = target.format === 'toml' ? tomlFormat : jsonFormat;
      const entry = text === undefined ? undefined : entryIn(format.parse(text), target.section);
      if (isRecord(entry) && isTutti(entry)) connected.push({ scope, file: target.file });
    } catch (error) {
      problem ??= `${target.file}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  const isFound = isClientFound(client, around);
  return { client, isFound, connected, ...(problem !== undefined && { problem }) };
}
