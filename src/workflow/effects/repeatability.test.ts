import { expect, it } from 'vitest';
import type { ToolAnnotations } from '../../contract/tool/index.ts';
import { repeatabilityOf, type Repeatability } from './effect-ports.ts';

const reads = { readOnlyHint: true };
const writes = { readOnlyHint: false };
const notAgain = { idempotentHint: false };

it.each<[ToolAnnotations, Repeatability | undefined, Repeatability]>([
  [{}, undefined, 'once'],
  [reads, undefined, 'read'],
  [{ ...reads, ...notAgain }, undefined, 'read'],
  [{ idempotentHint: true }, undefined, 'idempotent'],
  [{}, 'read', 'read'],
  [{}, 'idempotent', 'idempotent'],
  [reads, 'once', 'once'],
  [{ idempotentHint: true }, 'once', 'once'],
  [notAgain, 'idempotent', 'once'],
  [notAgain, 'read', 'once'],
  [{ ...writes, ...notAgain }, 'idempotent', 'once'],
  [writes, 'read', 'idempotent'],
  [writes, 'idempotent', 'idempotent'],
])('a tool that says %j in a plan that says %s is %s', (annotations, said, expected) => {
  expect(repeatabilityOf({ name: 't', inputSchema: {}, annotations }, said)).toBe(expected);
});
