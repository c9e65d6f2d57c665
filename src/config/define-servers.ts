import { createHash } from 'node:crypto';
import { mcpServerSettings, type McpServerEntry } from '../contract/settings/index.ts';
import { Secret } from '../kernel/index.ts';
import type { Assignment } from './assignment.ts';
import { pathsOf, type Surroundings } from './locate.ts';
import type { DefinedServer } from './settings.ts';
import { isRecord, transformValue } from './transform-value.ts';

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
    const launchFingerprint = fingerprintOf(complete, launchKeys);
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
