import { sep } from 'node:path';

/** Whether a path is a folder or lies below it. Both are absolute and normalized. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
