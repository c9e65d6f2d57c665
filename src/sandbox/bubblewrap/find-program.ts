import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

const systemFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** A program of this system; folders that users fill are not looked into. */
export function findProgram(name: string): string | undefined {
  return systemFolders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
