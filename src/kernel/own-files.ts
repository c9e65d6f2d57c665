import { existsSync, readFileSync } from 'node:fs';

/** True in `src/`, where Node runs the TypeScript itself; false in the bundles of `dist/`. */
const isSource = import.meta.url.endsWith('.ts');

/** A file or folder of this package by its path below `src/`; the build keeps such paths in `dist/`. */
export function ownFile(path: string): URL {
  return new URL(`${isSource ? 'src' : 'dist'}/${path}`, packageRoot());
}

/** A module that is started on its own, such as a worker, by its path without the ending. */
export function ownModule(path: string): URL {
  return ownFile(`${path}.${isSource ? 'ts' : 'js'}`);
}

/** The program users start, for whoever has to start it again. */
export function ownProgram(): URL {
  return new URL('bin/tutti.js', packageRoot());
}

/** The version of this package. */
export function ownVersion(): string {
  const text = readFileSync(new URL('package.json', packageRoot()), 'utf8');
  // Our own file, of the package that this code is a part of.
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** Found by its `package.json`, because the build puts a module elsewhere than its source stands. */
function packageRoot(): URL {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) {
    const parent = new URL('../', folder);
    if (parent.href === folder.href) throw new Error(`No package.json above ${import.meta.url}`);
    folder = parent;
  }
  return folder;
}
