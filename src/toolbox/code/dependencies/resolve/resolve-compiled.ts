import { posix, relative, resolve, sep } from 'node:path';
import {
  external,
  internal,
  unresolved,
  type Project,
  type Resolver,
  ignored,
} from '../resolution.ts';

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

/** Name with which the types of a file's own package are looked up, besides its imports. */
export const samePackage = '<same package>';

/** Types by their full name; of a wildcard import or the own package, the types that the file uses. */
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

/** Where a file stands in its crate: the crate's folder and the module path inside it. */
interface Place {
  readonly crate: string;
  readonly path: readonly string[];
}

const standardCrates = new Set(['std', 'core', 'alloc', 'proc_macro', 'test']);

/** `crate::`, `self::`, `super::` and child modules; crates of the same workspace by their name. */
export function rustResolver(project: Project): Resolver {
  const crates = cratesOf(project);
  const rustFiles = project.files.filter(({ language }) => language === 'rust');
  const places = new Map(rustFiles.map(({ id }) => [id, placeOf(id, crates)]));
  const files = new Map<string, string>();
  for (const [id, place] of places) {
    const key = keyOf(place);
    // A crate may have both a library and a program; `crate::` of shared modules means the library.
    if (!files.has(key) || id.endsWith('/lib.rs')) files.set(key, id);
  }
  return (file, { specifier, kind }) => {
    const place = places.get(file.id);
    if (!place) return unresolved;
    const segments = specifier.split('::');
    const target = targetOf(segments, place);
    if (target) {
      const found = kind === 'declaration' ? files.get(keyOf(target)) : longest(files, target);
      return found === undefined ? unresolved : internal([found]);
    }
    const [first = '', ...rest] = segments.filter((segment) => segment !== '');
    const child = specifier.startsWith('::')
      ? undefined
      : files.get(keyOf({ ...place, path: [...place.path, first] }));
    if (child !== undefined) {
      return internal([
        longest(files, { ...place, path: [...place.path, first, ...rest] }) ?? child,
      ]);
    }
    const other = crates.find(({ name }) => name === first);
    const library = other && longest(files, { crate: other.folder, path: rest });
    if (library !== undefined) return internal([library]);
    return external(first, standardCrates.has(first));
  };
}

/** The absolute module path of `crate::a`, `self::a` and `super::a`; `undefined` for other paths. */
function targetOf(segments: readonly string[], place: Place): Place | undefined {
  const rest = [...segments];
  const first = rest.shift();
  if (first === 'crate' || first === '$crate') return { crate: place.crate, path: rest };
  if (first !== 'self' && first !== 'super') return undefined;
  const path = [...place.path];
  if (first === 'super') path.pop();
  while (rest[0] === 'super') {
    rest.shift();
    path.pop();
  }
  return { crate: place.crate, path: [...path, ...rest] };
}

/** The last segments of a path name items, not modules: the longest known prefix is the file. */
function longest(files: ReadonlyMap<string, string>, target: Place): string | undefined {
  for (let length = target.path.length; length >= 0; length -= 1) {
    const found = files.get(keyOf({ crate: target.crate, path: target.path.slice(0, length) }));
    if (found !== undefined) return found;
  }
  return undefined;
}

function keyOf({ crate, path }: Place): string {
  return `${crate}|${path.join('::')}`;
}

interface Crate {
  readonly name: string;
  readonly folder: string;
}

function cratesOf(project: Project): Crate[] {
  return project.projectFiles
    .filter(({ name }) => name === 'Cargo.toml')
    .flatMap(({ absoluteFolder, text }) => {
      const section = /^\s*\[package\]([^[]*)/m.exec(text)?.[1] ?? '';
      const name = /^\s*name\s*=\s*["']([^"']+)["']/m.exec(section)?.[1];
      const folder = relative(project.root, absoluteFolder).split(sep).join('/');
      return name === undefined ? [] : [{ name: name.replaceAll('-', '_'), folder }];
    })
    .sort((a, b) => b.folder.length - a.folder.length);
}

function placeOf(id: string, crates: readonly Crate[]): Place {
  const crate = crates.find(({ folder }) => folder === '' || id.startsWith(`${folder}/`));
  const folder = crate?.folder ?? guessCrate(id);
  const inside = folder === '' ? id : id.slice(folder.length + 1);
  const [top, ...rest] = inside.replace(/\.rs$/, '').split('/');
  // Every program, example, test and benchmark is a crate of its own.
  const isOwnCrate =
    rest[0] === 'bin' || top === 'tests' || top === 'examples' || top === 'benches';
  if (isOwnCrate) return { crate: inside, path: [] };
  const path = top === 'src' ? rest : [top ?? '', ...rest];
  if (path.at(-1) === 'mod') path.pop();
  if (path.length === 1 && /^(lib|main)$/.test(path[0] ?? '')) path.pop();
  return { crate: folder, path };
}

/** Without a Cargo.toml the folder above `src` is taken for the crate. */
function guessCrate(id: string): string {
  const at = `/${id}`.lastIndexOf('/src/');
  return at < 1 ? '' : id.slice(0, at - 1);
}
