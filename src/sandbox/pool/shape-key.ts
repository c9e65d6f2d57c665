import type { SandboxShape } from '../driver.ts';

/** Two runs with the same key can use the same idle sandbox, if it accepts their limits. */
export function shapeKey({ toolchain, boot, mounts, limits }: SandboxShape): string {
  const { name, program, version } = toolchain;
  const folders = mounts.map(({ source, target }) => [source, target]);
  const parts = [name, program, version, boot, folders, limits.diskBytes, limits.openFiles];
  return JSON.stringify(parts);
}

/** What a person reads in a report. */
export function shapeLabel({ toolchain, boot }: SandboxShape): string {
  return `${toolchain.name}/${boot}`;
}
