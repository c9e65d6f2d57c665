import type { Tool } from '../../contract/tool/index.ts';

/** read: changes nothing · idempotent: twice is the same as once · once: a second time is a second effect. */
export type Repeatability = 'read' | 'idempotent' | 'once';

/** What the plan says counts before what the tool says of itself. */
export function repeatabilityOf({ annotations }: Tool, said?: Repeatability): Repeatability {
  if (said !== undefined) return said;
  if (annotations?.readOnlyHint === true) return 'read';
  return annotations?.idempotentHint === true ? 'idempotent' : 'once';
}
