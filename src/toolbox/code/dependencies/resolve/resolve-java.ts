import { posix } from 'node:path';
import { external, ignored, internal, type Project, type Resolver } from './resolution.ts';

/** Name with which the types of a file's own package are looked up, besides its imports. */
export const samePackage = '<same package>';

/** Types by their full name; what a wildcard or the own package brings in is told by what is used. */
export function javaResolver(project: Project): Resolver {
  const byName = new Map<string, string>();
  const packages = new Set<string>();
  for (const { id, language, imports } of project.files) {
    if (language !== 'java') continue;
    const packageName = imports.packageName ?? '';
    packages.add(packageName);
    byName.set(qualify(packageName, posix.basename(id, '.java')), id);
  }
  return (file, { specifier, names }) => {
    if (specifier === samePackage) {
      const own = file.imports.packageName ?? '';
      const used = (names ?? []).flatMap((name) => byName.get(qualify(own, name)) ?? []);
      return used.length > 0 ? internal(used) : ignored;
    }
    if (specifier.endsWith('.*')) {
      const from = specifier.slice(0, -2);
      const used = [...(file.imports.typeNames?.keys() ?? [])].flatMap(
        (name) => byName.get(qualify(from, name)) ?? [],
      );
      if (used.length > 0) return internal(used);
      if (packages.has(from)) return ignored;
    }
    for (let name = specifier; name.includes('.'); name = name.slice(0, name.lastIndexOf('.'))) {
      const found = byName.get(name);
      if (found !== undefined) return internal([found]);
    }
    const name = packageOf(specifier);
    return external(name, /^(java|javax|jdk)(\.|$)/.test(name));
  };
}

function qualify(packageName: string, name: string): string {
  return packageName === '' ? name : `${packageName}.${name}`;
}

/** By convention packages are lower case, and types are not. */
function packageOf(specifier: string): string {
  const segments = specifier.split('.');
  const type = segments.findIndex((segment) => /^[A-Z*]/.test(segment));
  return segments.slice(0, type < 1 ? Math.max(segments.length - 1, 1) : type).join('.');
}
