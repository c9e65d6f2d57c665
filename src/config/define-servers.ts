import { createHash } from 'node:crypto';
import type { FleetEntry } from '../contract/fleet/index.ts';
import type { TrustedProject } from '../contract/server-files/index.ts';
import { type McpServerEntry, mcpServerSettings } from '../contract/settings/index.ts';
import { Secret } from '../kernel/index.ts';
import { pathsOf, type Surroundings } from './locate.ts';
import type { Assignment, DefinedServer, LoadedSettings } from './settings.ts';
import { isRecord, transformValue } from './setting.ts';
import { isTrustedAs } from './trust.ts';

/** The servers that these assignments name. Their paths are absolute already. */
export function defineServers(
  assignments: readonly Assignment[],
  around: Surroundings,
): DefinedServer[] {
  return assignments.flatMap(({ setting, entry, value, source }) => {
    if (setting.key !== 'mcpServers' || entry === undefined || !isRecord(value)) return [];
    const folder = source.kind === 'project' ? pathsOf(around).dirname(source.file) : undefined;
    const complete = {
      ...value,
      ...(folder !== undefined && value['cwd'] === undefined && { cwd: folder }),
    };
    const fingerprint = fingerprintOf(complete, Object.keys(mcpServerSettings.shape));
    // Left out where it is not set: listings of other entries are cached under the fingerprint.
    const loginKeys = 'login' in complete ? ['login'] : [];
    const launchFingerprint = fingerprintOf(complete, [...launchKeys, ...loginKeys]);
    const settings = sealServer(complete);
    return [{ name: entry, source, settings, fingerprint, launchFingerprint }];
  });
}

/** An entry that fits the schema with its defaults and its secrets sealed. */
export function sealServer(value: unknown): McpServerEntry {
  const parsed = mcpServerSettings.parse(value);
  // `Sealed` describes just this change: texts whose schema is a secret become `Secret`s.
  return transformValue(mcpServerSettings, parsed, {
    text: (text, traits) => (traits.isSecret === true ? new Secret(text) : text),
    extra: (extra) => extra,
  }) as McpServerEntry;
}

/** The keys that say how a server is started or reached. */
const launchKeys = ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers'] as const;

/** Covers the keys named, in whatever order they are written. */
function fingerprintOf(value: Readonly<Record<string, unknown>>, keys: readonly string[]): string {
  const known = keys.map((key) => [key, sorted(value[key])]);
  return createHash('sha256').update(JSON.stringify(known)).digest('hex');
}

function sorted(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The servers of `mcpServers` that count, each name once, by name. */
export function chooseServers(
  settings: LoadedSettings,
  trusted: readonly TrustedProject[],
): readonly FleetEntry[] {
  const isTrusted = isTrustedAs(settings.project, trusted);
  const byName = Map.groupBy(settings.servers, ({ name }) => name);
  return [...byName]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, definitions]) => {
      // An untrusted project does not replace one of the user's servers.
      const chosen =
        definitions.find(({ source }) => source.kind !== 'project' || isTrusted) ?? definitions[0];
      return chosen === undefined ? [] : [entryOf(name, chosen, isTrusted)];
    });
}

function entryOf(name: string, defined: DefinedServer, isTrusted: boolean): FleetEntry {
  const { settings, source, fingerprint, launchFingerprint } = defined;
  const isProjects = source.kind === 'project';
  const isOff = !settings.enabled || settings.disabled;
  const stateWhenOn = isProjects && !isTrusted ? 'untrusted' : 'enabled';
  return {
    name,
    settings,
    source: source.kind === 'user' || isProjects ? source.kind : 'flag',
    state: isOff ? 'disabled' : stateWhenOn,
    fingerprint,
    launchFingerprint,
  };
}
