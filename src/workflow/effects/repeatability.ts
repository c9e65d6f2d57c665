import type { Tool } from '../../contract/tool/index.ts';

/** read: changes nothing · idempotent: twice is the same as once · once: a second time is a second effect. */
export type Repeatability = 'read' | 'idempotent' | 'once';

/** What the plan says counts before what the tool does not say; what the tool denies stays denied. */
export function repeatabilityOf({ annotations }: Tool, said?: Repeatability): Repeatability {
  const { readOnlyHint, idempotentHint } = annotations ?? {};
  if (said === undefined) {
    if (readOnlyHint === true) return 'read';
    return idempotentHint === true ? 'idempotent' : 'once';
  }
  // The hint says nothing about tools that only read.
  if (idempotentHint === false && readOnlyHint !== true) return 'once';
  return said === 'read' && readOnlyHint === false ? 'idempotent' : said;
}
