import type { FleetControl } from '../contract/fleet/index.ts';
import type { RunningLog } from '../observe/index.ts';
import { type ControlServer, openControl } from './control.ts';
import type { SandboxHere } from './sandbox.ts';
import type { WorkflowsHere } from './workflow.ts';

interface ServingParts {
  readonly home: string;
  readonly fleet: FleetControl;
  readonly checkFiles: () => Promise<void>;
  readonly serve: () => void;
  readonly sandbox: SandboxHere;
  /** Absent where not all servers are there that runs may call. */
  readonly runs: Pick<WorkflowsHere, 'serve'> | undefined;
  readonly log: RunningLog;
}

/** Starts with the first face and ends with the system: eager servers, unfinished runs, control requests. */
export function prepareServing({ serve, sandbox, runs, log, ...control }: ServingParts) {
  let opening: Promise<ControlServer | undefined> | undefined;
  return {
    begin(): void {
      serve();
      sandbox.serve();
      runs?.serve();
      opening ??= openControl({ ...control, log }).catch((error: unknown) => {
        log.warn('control requests are disabled', { error });
        return undefined;
      });
    },
    close: async (): Promise<void> => (await opening)?.close(),
  };
}
