import type { FleetEntry } from '../contract/fleet/index.ts';
import type { TrustedProject } from '../contract/server-files/index.ts';
import type { DefinedServer, LoadedSettings } from './settings.ts';
import { isTrustedAs } from './trust.ts';

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
      // A project nobody trusts does not take the place of a server the user has.
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
