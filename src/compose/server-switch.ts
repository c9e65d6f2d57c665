import { ruleOf } from '../access/index.ts';
import { editServers } from '../config/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import type { AuditHere } from './audit.ts';
import { requestEverywhere } from './control.ts';
import { loadSettingsHere, type SettingsRequest } from './settings.ts';

/** A process that does not answer looks at the files a moment later by itself. */
const answerLimitMs = 3_000;

interface SwitchParts {
  readonly request: SettingsRequest;
  readonly recorder: AuditHere['recorder'];
  /** Reads the files of this process anew. */
  readonly checkFiles: () => Promise<void>;
}

/**
 * Switches a server that a person put into the user's settings off or on, for every process on this machine that reads
 * them. A caller over the network names the server; what it is stands in the file.
 */
export function serverSwitch({ request, recorder, checkFiles }: SwitchParts) {
  return async (by: Caller, name: string, isEnabled: boolean): Promise<void> => {
    const kind = isEnabled ? 'enable' : 'disable';
    const { userFile, values } = await loadSettingsHere(request);
    const decision = {
      action: 'servers.manage',
      target: `${kind} ${name}`,
      face: 'rest',
      rule: ruleOf(by),
    } as const;
    try {
      recorder?.decision(by, decision);
    } catch (error) {
      // What ends harm does not wait for the audit log.
      if (isEnabled) throw error;
    }
    await editServers({ path: userFile, kind: 'user', userPath: userFile }, [{ kind, name }]);
    await checkFiles();
    await requestEverywhere(values.home, { checkFiles: true }, answerLimitMs);
  };
}
