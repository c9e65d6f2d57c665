import { lookupTable } from '../../kernel/index.ts';
const bytesPerUnit: Readonly<Record<string, number>> = lookupTable({
  b: 1,
  kb: 1000,
  mb: 1000 ** 2,
  gb: 1000 ** 3,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
});

const sizePattern = /^(\d{1,12}) ?([a-z]{1,3})$/i;

/** The bytes of a size like `100MB` (decimal) or `64KiB` (binary); undefined when it is not one. */
export function parseSize(text: string): number | undefined {
  const [, count, unit] = sizePattern.exec(text) ?? [];
  const factor = unit === undefined ? undefined : bytesPerUnit[unit.toLowerCase()];
  if (factor === undefined) return undefined;
  const bytes = Number(count) * factor;
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : undefined;
}
