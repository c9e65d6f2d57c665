import { join } from 'node:path';
import { subfolders } from './cgroup-folder.ts';
import { ownerOfGroup, type GroupOwner } from './group-name.ts';

/** A group as its folders tell, one in each hierarchy. */
export interface FoundGroup {
  readonly owner: GroupOwner;
  readonly folders: readonly string[];
}

/** Machines with many containers have some thousand cgroups; ours are few and near the top. */
const maxFolders = 20_000;
const maxDepth = 12;

/** Looks for groups of any Tutti below these folders: one that died may have stood in another cgroup. */
export function findGroups(roots: readonly string[]): FoundGroup[] {
  const found = new Map<string, { owner: GroupOwner; folders: string[] }>();
  // Nearest first, so that a crowded machine does not hide what stands at the top.
  const pending = roots.map((folder) => ({ folder, depth: 0 }));
  for (const { folder, depth } of pending) {
    for (const name of subfolders(folder)) {
      const path = join(folder, name);
      const owner = ownerOfGroup(name);
      if (owner) {
        const group = found.get(name) ?? { owner, folders: [] };
        group.folders.push(path);
        found.set(name, group);
      } else if (depth < maxDepth && pending.length < maxFolders) {
        pending.push({ folder: path, depth: depth + 1 });
      }
    }
  }
  return [...found.values()];
}
