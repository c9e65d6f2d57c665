import {
  chooseServers,
  findProjectFile,
  isTrustedAs,
  launchServer,
  readTrust,
  trustFile,
  userFile,
  watchFiles,
  type LoadedSettings,
} from '../config/index.ts';
import type { FleetEntries, FleetEntry } from '../contract/fleet/index.ts';
import { reportError, type Log } from '../kernel/index.ts';
import { ChangedProjectError } from './errors.ts';
import { loadSettingsHere, surroundingsOf, type SettingsRequest } from './settings.ts';

export interface ServerEntries extends FleetEntries {
  /** Looks at the files now, in place of waiting for the next look. A change counts at the second look. */
  check(): Promise<void>;
  close(): void;
}

interface ServerEntriesOptions {
  readonly request: SettingsRequest;
  /** As they were loaded when the system was opened. */
  readonly settings: LoadedSettings;
  readonly log: Log;
  readonly pollMs?: number;
}

const usualPollMs = 300;

/**
 * The servers of `mcpServers` for as long as the system runs. Reads the files anew when one of them
 * changes, or what is trusted does; while a file is broken, what was good before counts.
 */
export async function openServerEntries(options: ServerEntriesOptions): Promise<ServerEntries> {
  const { request, log } = options;
  const around = surroundingsOf(request);
  const { home } = options.settings.values;
  const listeners = new Set<() => void>();
  let good = options.settings;
  let entries = chooseServers(good, await readTrust(home));

  const reload = async (): Promise<void> => {
    try {
      good = await loadSettingsHere(request);
    } catch (error) {
      const { message } = reportError(error);
      log.warn('ignored invalid settings; using the last valid ones', { message });
    }
    // Trust that was taken back counts whatever the files are like.
    const next = chooseServers(good, await readTrust(home));
    if (isSame(entries, next)) return;
    entries = next;
    for (const listener of listeners) listener();
  };

  const watch = await watchFiles({
    paths: async () => {
      const project = await findProjectFile(around);
      const named = project === undefined ? [] : [project, ...(good.project?.files ?? [])];
      return [userFile(around), trustFile(home), ...named];
    },
    onChange: reload,
    pollMs: options.pollMs ?? usualPollMs,
  });
  return {
    current: () => entries,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    launch: async ({ name, settings, source }) => {
      // Also between two looks at the files: what starts is what was trusted.
      if (source === 'project') await mustBeTrusted(request, name);
      return launchServer(name, settings, around);
    },
    check: () => watch.check(),
    close: () => watch.close(),
  };
}

async function mustBeTrusted(request: SettingsRequest, server: string): Promise<void> {
  const { project, values } = await loadSettingsHere(request);
  if (isTrustedAs(project, await readTrust(values.home))) return;
  throw new ChangedProjectError(server, project?.file ?? 'tutti.yaml');
}

function isSame(before: readonly FleetEntry[], after: readonly FleetEntry[]): boolean {
  const pictureOf = (entries: readonly FleetEntry[]): string =>
    JSON.stringify(
      entries.map(({ name, source, state, fingerprint }) => [name, source, state, fingerprint]),
    );
  return pictureOf(before) === pictureOf(after);
}
