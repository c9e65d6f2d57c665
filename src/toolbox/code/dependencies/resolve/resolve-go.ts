import { posix, relative, resolve, sep } from 'node:path';
import { external, internal, unresolved, type Project, type Resolver } from './resolution.ts';

/** In Go a folder is the unit that is imported: packages stand in the graph, not files. */
export function goPackageOf(id: string): string {
  return posix.dirname(id);
}

/** Packages by the module path of the nearest go.mod and their folder below it. */
export function goResolver(project: Project): Resolver {
  const modules = project.projectFiles
    .filter(({ name }) => name === 'go.mod')
    .flatMap(({ absoluteFolder, text }) => {
      const path = /^\s*module\s+"?([^\s"]+)/m.exec(text)?.[1];
      return path === undefined ? [] : [{ path, absoluteFolder }];
    });
  const folders = new Set(
    project.files.filter(({ language }) => language === 'go').map(({ id }) => goPackageOf(id)),
  );
  return (_, { specifier }) => {
    for (const { path, absoluteFolder } of modules) {
      if (specifier !== path && !specifier.startsWith(`${path}/`)) continue;
      const folder = resolve(absoluteFolder, `.${specifier.slice(path.length)}`);
      const id = relative(project.root, folder).split(sep).join('/') || '.';
      if (folders.has(id)) return internal([id]);
      // A package of the module that lies outside the analysed folder is not missing.
      return id.startsWith('..') ? external(specifier) : unresolved;
    }
    const isStandard = !(specifier.split('/')[0] ?? '').includes('.');
    return external(isStandard ? specifier : moduleOf(specifier), isStandard);
  };
}

/** Most hosts keep a module at host/owner/name. */
function moduleOf(specifier: string): string {
  const depth = /^(github|gitlab|bitbucket)\./.test(specifier) ? 3 : 2;
  return specifier.split('/').slice(0, depth).join('/');
}
