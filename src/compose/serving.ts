import type { FleetControl } from '../contract/fleet/index.ts';
import type { Log } from '../kernel/index.ts';
import { openControl, type ControlDesk } from './control.ts';
import type { SandboxHere } from './sandbox.ts';
import type { WorkflowsHere } from './workflow.ts';

interface ServingParts {
  readonly home: string;
  readonly fleet: FleetControl;
  readonly serve: () => void;
  readonly sandbox: SandboxHere;
  /** Absent where not all servers are there that runs may call. */
  readonly runs: Pick<WorkflowsHere, 'serve'> | undefined;
  readonly log: Log;
}

/** What begins with the first face and ends with the system: servers that are to run, runs that were left, and the control desk. */
export function prepareServing({ home, fleet, serve, sandbox, runs, log }: ServingParts) {
  let desk: Promise<ControlDesk | undefined> | undefined;
  return {
    begin(): void {
      serve();
      sandbox.serve();
      runs?.serve();
      desk ??= openControl({ home, fleet, log }).catch((error: unknown) => {
        log.warn('other processes cannot reach this one', { error });
        return undefined;
      });
    },
    close: async (): Promise<void> => (await desk)?.close(),
  };
}
