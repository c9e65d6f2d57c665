import {
  protections,
  type DriverReport,
  type Holder,
  type Protection,
} from '../contract/sandbox/index.ts';
import type { DriverLack } from './errors.ts';

/** `standard` lets a supervisor hold what is only about resources; `strict` wants the kernel. */
export type PolicyName = 'standard' | 'strict';

/** Who must hold a protection at least. Nobody is no choice: what is not held is not run. */
type LeastHolder = Exclude<Holder, 'none'>;

const standard: Readonly<Record<Protection, LeastHolder>> = {
  'unprivileged-user': 'kernel',
  'user-namespace': 'kernel',
  'nested-namespaces': 'kernel',
  'process-namespace': 'kernel',
  network: 'kernel',
  'host-files': 'kernel',
  'read-only-system': 'kernel',
  'host-identity': 'kernel',
  environment: 'kernel',
  capabilities: 'kernel',
  'new-privileges': 'kernel',
  'system-calls': 'kernel',
  terminal: 'kernel',
  'open-files': 'kernel',
  'dies-with-us': 'supervisor',
  'wall-time': 'supervisor',
  'cpu-time': 'supervisor',
  'cpu-rate': 'supervisor',
  memory: 'supervisor',
  pids: 'supervisor',
  disk: 'supervisor',
  output: 'supervisor',
};

const policies: Readonly<Record<PolicyName, Readonly<Record<Protection, LeastHolder>>>> = {
  standard,
  strict: { ...standard, memory: 'kernel', pids: 'kernel', disk: 'kernel', 'cpu-rate': 'kernel' },
};

export type Judgement =
  | { readonly kind: 'allowed' }
  /** It works, and does not hold enough. */
  | { readonly kind: 'refused'; readonly lack: DriverLack }
  /** It does not work here. */
  | { readonly kind: 'unavailable'; readonly lack: DriverLack };

/** Whether a driver with this report may run programs. A protection the report leaves out is not held. */
export function judge(report: DriverReport, policy: PolicyName): Judgement {
  if (report.state === 'unavailable') {
    const fixes = report.fix === undefined ? [] : [report.fix];
    return {
      kind: 'unavailable',
      lack: { driver: report.driver, missing: [report.message], fixes },
    };
  }
  const lacking = protections.flatMap((protection) => {
    const found = report.protections.find((row) => row.protection === protection);
    const least = policies[policy][protection];
    if (found?.holder === 'kernel' || found?.holder === least) return [];
    const evidence = found?.evidence ?? 'it was not tried';
    const holder = found?.holder ?? 'none';
    return [{ missing: describeLack({ protection, least, holder, evidence }), fix: found?.fix }];
  });
  if (lacking.length === 0) return { kind: 'allowed' };
  const fixes = lacking.flatMap(({ fix }) => (fix === undefined ? [] : [fix]));
  const lack = {
    driver: report.driver,
    missing: lacking.map(({ missing }) => missing),
    fixes: [...new Set(fixes)],
  };
  return { kind: 'refused', lack };
}

interface Lacking {
  readonly protection: Protection;
  readonly least: LeastHolder;
  readonly holder: Holder;
  readonly evidence: string;
}

function describeLack({ protection, least, holder, evidence }: Lacking): string {
  const held =
    holder === 'none' ? 'is not held' : `is held by the ${holder} only, and the ${least} must`;
  return `${protection} ${held}: ${evidence}`;
}
