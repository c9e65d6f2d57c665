import { randomBytes } from 'node:crypto';

/** A new id: the time in milliseconds first, so that ids sort by age, then 80 random bits. */
export function createId(prefix: string, nowMs: number = Date.now()): string {
  return `${prefix}_${nowMs.toString(36).padStart(9, '0')}${randomBytes(10).toString('hex')}`;
}
