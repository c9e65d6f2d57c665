import { dirname, join, relative } from 'node:path';
import type { SandboxMount } from '../../contract/sandbox/index.ts';
import { liesInside } from '../../kernel/index.ts';
import type { Toolchain } from '../driver.ts';
import { NotUsable, type Installation } from './language.ts';
import type { Surroundings } from './surroundings.ts';

/** Every sandbox has these. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib64'];
/** Tell nothing about whose machine it is, so that what is there may be seen where it is. */
const neutralFolders = ['/opt', '/nix', '/gnu', '/snap', '/Library', '/System'];
/** The program's own, or the sandbox's. */
const innerFolders = ['/work', '/tmp', '/dev', '/proc', '/sys', '/run', '/etc', '/var'];
const systemSearchPath = ['/usr/local/bin', '/usr/bin', '/bin'];

/** Decides where a toolchain is seen inside. Throws `NotUsable` when there is no such place. */
export function placeToolchain(
  name: string,
  installation: Installation,
  surroundings: Surroundings,
): Toolchain {
  const mounts = installation.parts
    .filter((part) => !isOfSystem(part, surroundings))
    .map((part) => mountPart(name, { part, installation }, surroundings));
  const at = (path: string): string => translate(path, mounts);
  const program = at(installation.program);
  const ownFolders = [dirname(program), ...(installation.programFolders ?? []).map(at)];
  return {
    name,
    version: installation.version,
    program,
    mounts,
    searchPath: [...new Set([...ownFolders, ...systemSearchPath])],
    env: installation.env?.(at) ?? {},
  };
}

function mountPart(
  name: string,
  { part, installation }: { readonly part: string; readonly installation: Installation },
  surroundings: Surroundings,
): SandboxMount {
  const isSettings = part.startsWith('/etc/java-');
  const staysWhereItIs = !surroundings.canRelocate || isSettings || isBelow(part, neutralFolders);
  if (staysWhereItIs) return { source: part, target: part };
  if (!installation.canMove) {
    if (!isBelow(part, innerFolders)) return { source: part, target: part };
    throw new NotUsable(
      `${part} only works at its own path, which inside the sandbox is the program's`,
    );
  }
  // A single program keeps its name below the folder that stands for its installation.
  // Without the modules that were asked for: a colon would cut it in two in every search path.
  const [language = name] = name.split(':');
  const root = `/opt/${language}-${installation.version}`;
  const isProgramItself = part === installation.program;
  return { source: part, target: isProgramItself ? join(root, 'bin', language) : root };
}

function translate(path: string, mounts: readonly SandboxMount[]): string {
  const mount = mounts.find(({ source }) => isBelow(path, [source]));
  return mount ? join(mount.target, relative(mount.source, path)) : path;
}

/** True for what every sandbox shows anyway. */
export function isOfSystem(path: string, { systemRoot }: Surroundings): boolean {
  return isBelow(
    path,
    systemFolders.map((folder) => systemRoot + folder),
  );
}

export function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => liesInside(folder, path));
}
