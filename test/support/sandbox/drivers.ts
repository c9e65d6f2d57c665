import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Protection } from '../../../src/contract/sandbox/index.ts';
import { createProcessOwner, silentLog } from '../../../src/kernel/index.ts';
import { createBubblewrapDriver } from '../../../src/sandbox/bubblewrap/index.ts';
import { chooseResourceControl } from '../../../src/sandbox/resources/choose-resource-control.ts';
import type { ResourceControlKind } from '../../../src/sandbox/resources/resource-control.ts';
import type { SandboxDriver } from '../../../src/sandbox/driver.ts';
import { startDocker } from '../docker.ts';
import type { Traces } from './run-hostile.ts';
import { holdNamespaces, sandboxNamespacesOf } from './sandbox-traces.ts';

/** A driver as Tutti composes it, for tests that attack it. */
export interface OpenedDriver {
  readonly driver: SandboxDriver;
  readonly traces: Traces;
  close(): Promise<void>;
}

/** `without` leaves protections out, to see that their absence shows; `kinds` are ways to count resources. */
export function openBubblewrap(
  givenDirectory?: string,
  without: readonly Protection[] = [],
  kinds?: readonly ResourceControlKind[],
): OpenedDriver {
  const runDirectory = givenDirectory ?? mkdtempSync(join(tmpdir(), 'sandbox-run-'));
  const owner = createProcessOwner({ runDirectory, log: silentLog, maxPrograms: 200 });
  const resources = chooseResourceControl({ kinds });
  const driver = createBubblewrapDriver({ owner, log: silentLog, without, resources });
  return {
    driver,
    traces: tracesBy(async () => sandboxNamespacesOf(process.pid)),
    close: async () => {
      await driver.close();
      await owner.close();
      if (givenDirectory === undefined) rmSync(runDirectory, { recursive: true, force: true });
    },
  };
}

/** The engine is the tests' own and ends with them. A reason instead, where none can be started. */
export async function openDocker(): Promise<OpenedDriver | string> {
  const here = await startDocker();
  if (here.kind === 'skipped') return here.reason;
  const { docker } = here;
  const driver = docker.aDockerDriver();
  // Asked now: the container that is asked would else be one too many while another is followed.
  for (const name of ['python', 'node']) await driver.findToolchain(name);
  return {
    driver,
    traces: tracesBy(() => docker.sandboxNamespaces()),
    close: async () => {
      await driver.close();
      await docker.stop();
    },
  };
}

/** The sandbox that has just been prepared is the pid namespace that was not there before. */
function tracesBy(list: () => Promise<Set<string>>): Traces {
  let last: Promise<unknown> = Promise.resolve();
  return {
    follow: async (prepare) => {
      // One after the other: two at once could not be told apart.
      const prepared = last.then(async () => {
        // Held, so that the number of one that ends meanwhile is not the number of the new one.
        const before = holdNamespaces(await list());
        const sandbox = await prepare();
        const added = (await list()).difference(before.namespaces);
        before.letGo();
        if (added.size === 1) return { sandbox, view: holdNamespaces(added) };
        await sandbox.dispose();
        throw new Error(`${added.size} namespaces belong to one sandbox`);
      });
      last = prepared.catch(() => {});
      return prepared;
    },
  };
}

/** For many at once: who is left is looked for at the end. */
export const looseTraces: Traces = {
  follow: async (prepare) => ({
    sandbox: await prepare(),
    view: holdNamespaces(new Set()),
  }),
};
