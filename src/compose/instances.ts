import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import {
  beatEveryMs,
  type Instance,
  type InstanceReport,
  type Instances,
  type InstanceStore,
} from '../contract/instance/index.ts';
import type { FleetControl } from '../contract/fleet/index.ts';
import { reportError, type Log, type Timers } from '../kernel/index.ts';
import type { WorkflowsHere } from './workflow.ts';
import { InstanceGoneError, UnknownInstanceError } from './errors.ts';

interface InstanceParts {
  readonly store: { readonly instances: InstanceStore };
  readonly version: string;
  readonly fleet: { readonly control: Pick<FleetControl, 'status'> };
  readonly runs: Pick<WorkflowsHere, 'count'>;
  readonly timers: Pick<Timers, 'after'>;
  readonly log: Log;
}

/** What this instance is, as far as only its listener knows. */
interface Serving {
  readonly address: string;
  readonly calls: () => number;
  readonly isDraining: () => boolean;
  /** Called once, when it is requested. */
  readonly drain: () => void;
}

export interface InstancesHere extends Instances {
  /** Says that this process serves, until the returned function is called. */
  join(serving: Serving): () => Promise<void>;
}

const idBytes = 4;
const runningStates: ReadonlySet<string> = new Set(['ready', 'starting', 'restarting']);

/** The instances that serve from one store, and this process among them. */
export function instancesHere({ timers, log, ...own }: InstanceParts): InstancesHere {
  const store = own.store.instances;
  return {
    list: () => store.list(),
    drain: async (_by, id) => {
      const instance = findInstance(await store.list(), id);
      if (instance.state === 'gone') throw new InstanceGoneError(instance);
      await store.requestDrain(instance.id);
      return { ...instance, state: 'draining' };
    },
    join: (serving) => {
      const id = randomBytes(idBytes).toString('hex');
      let isAsked = false;
      const beat = async (): Promise<void> => {
        const { isDrainRequested } = await store.beat(await reportOf(id, { ...own, serving }));
        if (isDrainRequested && !isAsked) {
          isAsked = true;
          serving.drain();
        }
      };
      return keepBeating(beat, { timers, leave: () => store.remove(id), log });
    },
  };
}

async function reportOf(
  id: string,
  {
    serving,
    version,
    fleet,
    runs,
  }: Omit<InstanceParts, 'store' | 'timers' | 'log'> & { readonly serving: Serving },
): Promise<InstanceReport> {
  const servers = await fleet.control.status();
  return {
    id,
    host: hostname(),
    version,
    address: serving.address,
    isDraining: serving.isDraining(),
    servers: servers.filter(
      ({ transport, state }) => transport !== 'in-process' && runningStates.has(state),
    ).length,
    calls: serving.calls(),
    runs: await runs.count(),
  };
}

interface BeatParts {
  readonly timers: Pick<Timers, 'after'>;
  readonly leave: () => Promise<void>;
  readonly log: Log;
}

/** One beat after the other; one that fails is followed by the next. */
function keepBeating(beat: () => Promise<void>, parts: BeatParts): () => Promise<void> {
  const { timers, leave, log } = parts;
  const warn = (message: string, error: unknown): void =>
    log.warn(message, { message: reportError(error).message });
  let isFailing = false;
  let isOver = false;
  let cancel = (): void => {};
  const next = async (): Promise<void> => {
    try {
      await beat();
      isFailing = false;
    } catch (error) {
      if (!isFailing) warn('failed to register this instance', error);
      isFailing = true;
    }
    if (isOver) return;
    cancel = timers.after(beatEveryMs, () => {
      beating = next();
    });
  };
  let beating = next();
  return async () => {
    isOver = true;
    cancel();
    await beating;
    await leave().catch((error: unknown) => warn('failed to deregister this instance', error));
  };
}

function findInstance(all: readonly Instance[], id: string): Instance {
  const found = all.filter((instance) => id !== '' && instance.id.startsWith(id));
  const [only] = found;
  if (!only || found.length > 1) throw new UnknownInstanceError(id, all);
  return only;
}
