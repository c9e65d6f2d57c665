import { builtinModules } from 'node:module';
import { join, posix, relative, resolve, sep } from 'node:path';
import { parseLenientJson, lookupTable, recordOf } from '../../../../kernel/index.ts';
import {
  type ModuleFile,
  external,
  ignored,
  internal,
  unresolved,
  type Project,
  type ProjectFile,
  type Resolver,
} from '../resolution.ts';

const endings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'];
/** What an import of compiled output means in the sources. */
const sourceEndings: Readonly<Record<string, readonly string[]>> = lookupTable({
  '.js': ['.ts', '.tsx', '.jsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
});

/** Relative paths, `paths` and `baseUrl` of the nearest tsconfig, packages of the same workspace. */
export function javascriptResolver(project: Project): Resolver {
  const ids = new Set(project.files.map(({ id }) => id));
  const find = (id: string): string | undefined => candidatesOf(id).find((one) => ids.has(one));
  const mappings = project.projectFiles.flatMap((file) => mappingOf(file, project.root));
  const workspaces = workspacesOf(project);
  const byAddress = pathResolver(project);
  return (file, reference) => {
    const specifier = reference.specifier.replace(/[?#].*$/, '') || reference.specifier;
    if (/^\.{1,2}(\/|$)/.test(specifier)) {
      const id = posix.normalize(posix.join(posix.dirname(file.id), specifier)).replace(/\/$/, '');
      const found = find(id);
      if (found !== undefined) return internal([found]);
      if (id.startsWith('..')) return external(id);
      return project.exists(id) ? ignored : unresolved;
    }
    if (/^([a-z]+:)?\/\//.test(specifier)) return byAddress(file, reference);
    const mapped = nearest(mappings, file)?.targets(specifier).map(find).find(Boolean);
    if (mapped !== undefined) return internal([mapped]);
    const sibling = workspaces(specifier).map(find).find(Boolean);
    if (sibling !== undefined) return internal([sibling]);
    return externalPackage(specifier);
  };
}

function candidatesOf(id: string): string[] {
  const ending = posix.extname(id);
  const bare = id.slice(0, id.length - ending.length);
  return [
    id,
    ...(sourceEndings[ending] ?? []).map((other) => bare + other),
    ...endings.map((other) => id + other),
    ...endings.map((other) => posix.join(id, `index${other}`)),
  ];
}

const builtins = new Set(builtinModules);

function externalPackage(specifier: string): ReturnType<Resolver> {
  if (specifier.startsWith('#') || specifier.startsWith('/')) return unresolved;
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const isStandard = specifier.startsWith('node:') || builtins.has(name);
  return external(isStandard && !specifier.startsWith('node:') ? `node:${name}` : name, isStandard);
}

interface PathMapping {
  /** Id of the folder whose files it is for; empty for all of them. */
  readonly folder: string;
  readonly targets: (specifier: string) => string[];
}

function mappingOf(file: ProjectFile, root: string): PathMapping[] {
  if (!/^(ts|js)config\.json$/.test(file.name)) return [];
  const options = recordOf(recordOf(parseLenientJson(file.text))['compilerOptions']);
  const baseUrl = options['baseUrl'];
  const base = typeof baseUrl === 'string' ? resolve(file.absoluteFolder, baseUrl) : undefined;
  const paths = Object.entries(recordOf(options['paths']));
  const inside = idOf(root, file.absoluteFolder);
  const targets = (specifier: string): string[] => {
    const found = paths.flatMap(([pattern, list]) => {
      const rest = matchPattern(pattern, specifier);
      if (rest === undefined || !Array.isArray(list)) return [];
      return list
        .filter((target) => typeof target === 'string')
        .map((target) =>
          idOf(root, resolve(base ?? file.absoluteFolder, target.replace('*', rest))),
        );
    });
    return base === undefined ? found : [...found, idOf(root, join(base, specifier))];
  };
  return [{ folder: inside.startsWith('..') ? '' : inside, targets }];
}

/** The part that `*` stands for; an exact pattern gives the empty text. */
function matchPattern(pattern: string, specifier: string): string | undefined {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === specifier ? '' : undefined;
  const [head, tail] = [pattern.slice(0, star), pattern.slice(star + 1)];
  const fits =
    specifier.startsWith(head) &&
    specifier.endsWith(tail) &&
    specifier.length >= head.length + tail.length;
  return fits ? specifier.slice(head.length, specifier.length - tail.length) : undefined;
}

function nearest(mappings: readonly PathMapping[], file: ModuleFile): PathMapping | undefined {
  return mappings
    .filter(({ folder }) => folder === '' || file.id.startsWith(`${folder}/`))
    .reduce<PathMapping | undefined>(
      (best, next) => (!best || next.folder.length > best.folder.length ? next : best),
      undefined,
    );
}

/** Packages in the folder by their name: an import of one leads to its entry file. */
function workspacesOf(project: Project): (specifier: string) => string[] {
  const entries = project.projectFiles
    .filter(({ name }) => name === 'package.json')
    .flatMap((file) => {
      const { name, main, module } = recordOf(parseLenientJson(file.text));
      const folder = idOf(project.root, file.absoluteFolder);
      return typeof name === 'string' ? [{ name, folder, entry: [module, main] }] : [];
    });
  return (specifier) =>
    entries
      .filter(({ name }) => specifier === name || specifier.startsWith(`${name}/`))
      .flatMap(({ name, folder, entry }) => {
        const rest = specifier.slice(name.length + 1);
        const targets =
          rest === '' ? [...entry, 'src/index', 'index', 'lib/index'] : [rest, `src/${rest}`];
        return targets.flatMap((target) =>
          typeof target === 'string' ? [posix.normalize(posix.join(folder, target))] : [],
        );
      });
}

function idOf(root: string, absolute: string): string {
  return relative(root, absolute).split(sep).join('/');
}

/** Style sheets and pages name files by address; `/x` is looked for in the folder and its `public`. */
export function pathResolver(project: Project): Resolver {
  const ids = new Set(project.files.map(({ id }) => id));
  return (file, { specifier }) => {
    if (specifier.startsWith('data:') || specifier.includes('{{')) return ignored;
    const address = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]+)/i.exec(specifier);
    if (address?.[1]) return external(address[1]);
    const candidates = specifier.startsWith('/')
      ? [specifier.slice(1), posix.join('public', specifier)]
      : [posix.normalize(posix.join(posix.dirname(file.id), specifier))];
    const found = candidates.find((id) => ids.has(id));
    if (found !== undefined) return internal([found]);
    const outside = candidates.find((id) => id.startsWith('..'));
    if (outside !== undefined) return external(outside);
    return candidates.some((id) => project.exists(id)) ? ignored : unresolved;
  };
}
