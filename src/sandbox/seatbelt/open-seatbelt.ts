import type { ProcessOwner } from '../../kernel/index.ts';
import type { SandboxDriver } from '../driver.ts';
import type { CanaryFacts } from '../probe/canary-facts.ts';
import { runCanaries } from '../probe/run-canaries.ts';
import { findToolchain } from '../toolchains/find-toolchain.ts';
import { hostSurroundings } from '../toolchains/surroundings.ts';
import { createSeatbeltDriver } from './seatbelt-driver.ts';

export interface SeatbeltPlace {
  readonly owner: ProcessOwner;
  /** Where work folders are made. */
  readonly folder: string;
}

/** What no canary can try is our own end, and none sees that we hold the amounts, not the kernel. */
const facts: CanaryFacts = {
  holders: { disk: 'supervisor' },
  declared: {
    'dies-with-us': {
      holder: 'supervisor',
      evidence: 'a guardian ends every program of a Tutti that is gone',
    },
  },
};

/** Seatbelt with the toolchains of this machine and the canaries of all drivers. */
export function openSeatbelt({ owner, folder }: SeatbeltPlace): SandboxDriver {
  const surroundings = hostSurroundings();
  return createSeatbeltDriver({
    owner,
    folder,
    findToolchain: (name) => findToolchain(name, surroundings),
    tryProtections: (driver, signal) => runCanaries(driver, facts, signal),
  });
}
