import { posix } from 'node:path';
import { z } from 'zod';
import data from './python-standard-modules.json' with { type: 'json' };
import {
  type ImportReference,
  type ModuleFile,
  external,
  internal,
  unresolved,
  type Project,
  type Resolution,
  type Resolver,
} from '../resolution.ts';

/** Top-level modules that come with Python, from 3.11 to 3.14 (`sys.stdlib_module_names`). */
const standardModules: ReadonlySet<string> = new Set(z.array(z.string()).parse(data));

/** Packages, namespace packages and relative imports; roots are where Python itself would look. */
export function pythonResolver(project: Project): Resolver {
  const modules = new Modules(project.files);
  return (file, reference) => {
    const dots = /^\.*/.exec(reference.specifier)?.[0].length ?? 0;
    const path = reference.specifier
      .slice(dots)
      .split('.')
      .filter((part) => part !== '');
    if (dots > 0) return resolveRelative(modules, { file, reference, path, dots });
    const [top = ''] = path;
    for (const root of rootsFor(file, modules)) {
      if (!modules.isKnown(posix.join(root, top))) continue;
      const found = modules.find(posix.join(root, ...path), reference.names);
      if (found.length > 0) return internal(found);
      // A folder of that name without the module says nothing about an installed package.
      if (modules.isPackage(posix.join(root, top))) return unresolved;
    }
    return external(top, top.startsWith('_') || standardModules.has(top));
  };
}

interface RelativeImport {
  readonly file: ModuleFile;
  readonly reference: ImportReference;
  readonly path: readonly string[];
  readonly dots: number;
}

function resolveRelative(modules: Modules, request: RelativeImport): Resolution {
  let base = posix.dirname(request.file.id);
  for (let up = 1; up < request.dots; up += 1) {
    if (base === '.') return unresolved;
    base = posix.dirname(base);
  }
  const found = modules.find(posix.join(base, ...request.path), request.reference.names);
  return found.length > 0 ? internal(found) : unresolved;
}

/** The first folder upwards that is no package is what Python puts on its path; then the usual ones. */
function rootsFor(file: ModuleFile, modules: Modules): string[] {
  const roots: string[] = [];
  let folder = posix.dirname(file.id);
  while (folder !== '.' && modules.isPackage(folder)) folder = posix.dirname(folder);
  for (; folder !== '.'; folder = posix.dirname(folder)) roots.push(folder);
  return [...roots, '.', 'src'];
}

class Modules {
  readonly #ids: ReadonlySet<string>;
  readonly #folders = new Set<string>();

  constructor(files: readonly ModuleFile[]) {
    this.#ids = new Set(files.filter(({ language }) => language === 'python').map(({ id }) => id));
    for (const id of this.#ids) {
      for (let folder = posix.dirname(id); folder !== '.'; folder = posix.dirname(folder)) {
        if (this.#folders.has(folder)) break;
        this.#folders.add(folder);
      }
    }
  }

  isPackage(path: string): boolean {
    return this.#fileOf(posix.join(path, '__init__')) !== undefined;
  }

  isKnown(path: string): boolean {
    return this.#folders.has(path) || this.#fileOf(path) !== undefined;
  }

  /** Files that `import path`, or `from path import names`, loads. */
  find(path: string, names: readonly string[] | undefined): string[] {
    const own = this.#moduleAt(path);
    if (names === undefined || names.length === 0) return own === undefined ? [] : [own];
    const found = names.flatMap((name) => this.#moduleAt(posix.join(path, name)) ?? own ?? []);
    return [...new Set(found)];
  }

  #moduleAt(path: string): string | undefined {
    return this.#fileOf(path) ?? this.#fileOf(posix.join(path, '__init__'));
  }

  #fileOf(path: string): string | undefined {
    return [`${path}.py`, `${path}.pyi`, `${path}.pyw`].find((id) => this.#ids.has(id));
  }
}
