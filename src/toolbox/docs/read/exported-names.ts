/** What users of a package can import from a file of it: all it exports, or some names. */
export type ExportedNames = ReadonlySet<string> | 'all';

const maxVisits = 2_000;

interface Reexport {
  readonly path: string;
  /** Names as the other file has them, by the names they get here; absent for `export *`. */
  readonly names?: ReadonlyMap<string, string>;
}

/**
 * Follows the exports of entry files through a package: a declaration that no entry exports is for the
 * package itself. `read` gives the text of a file; `resolve` the file that a file means by a path.
 */
export async function exportedNames(
  entries: Iterable<string>,
  read: (file: string) => Promise<string | undefined>,
  resolve: (from: string, path: string) => string | undefined,
): Promise<ReadonlyMap<string, ExportedNames>> {
  const found = new Map<string, ExportedNames>();
  const waiting: { file: string; names: ExportedNames }[] = [...entries].map((file) => ({
    file,
    names: 'all',
  }));
  for (let visits = 0; visits < maxVisits; visits += 1) {
    const next = waiting.shift();
    if (!next) break;
    const known = found.get(next.file);
    const news = newNames(next.names, known);
    if (news === undefined) continue;
    found.set(next.file, joined(known, news));
    for (const { path, names } of reexportsIn((await read(next.file)) ?? '')) {
      const file = resolve(next.file, path);
      const wanted = names ? passedOn(names, news) : news;
      if (file !== undefined && wanted !== undefined) waiting.push({ file, names: wanted });
    }
  }
  return found;
}

/** The names that were not known before; undefined when there are none. */
function newNames(
  names: ExportedNames,
  known: ExportedNames | undefined,
): ExportedNames | undefined {
  if (known === 'all') return undefined;
  if (names === 'all') return 'all';
  const fresh = new Set([...names].filter((name) => known?.has(name) !== true));
  return fresh.size > 0 ? fresh : undefined;
}

function joined(known: ExportedNames | undefined, news: ExportedNames): ExportedNames {
  if (known === 'all' || news === 'all') return 'all';
  return new Set([...(known ?? []), ...news]);
}

function passedOn(
  names: ReadonlyMap<string, string>,
  wanted: ExportedNames,
): ExportedNames | undefined {
  const meant = [...names].filter(([here]) => wanted === 'all' || wanted.has(here));
  return meant.length > 0 ? new Set(meant.map(([, there]) => there)) : undefined;
}

const starExport = /\bexport\s+\*\s+from\s+["'](\.[^"'\n]{0,300})["']/g;
const namedExport =
  /\bexport\s+(?:type\s+)?\{([^}]{0,20000})\}\s*from\s+["'](\.[^"'\n]{0,300})["']/g;
const namedImport =
  /\bimport\s+(?:type\s+)?(?:([\w$]+)\s*,?\s*)?(?:\{([^}]{0,20000})\}\s*)?from\s+["'](\.[^"'\n]{0,300})["']/g;
const localExport = /\bexport\s+(?:type\s+)?\{([^}]{0,20000})\}\s*(?!\s*from)/g;

function reexportsIn(text: string): Reexport[] {
  const stars = [...text.matchAll(starExport)].map(([, path = '']) => ({ path }));
  const named = [...text.matchAll(namedExport)].map(([, list = '', path = '']) => ({
    path,
    names: namesIn(list),
  }));
  const exported = new Map(
    [...text.matchAll(localExport)].flatMap(([, list = '']) => [...namesIn(list)]),
  );
  const local = new Set(exported.values());
  const passed = [...text.matchAll(namedImport)].map(([, whole, list = '', path = '']) => {
    const imported = [...namesIn(list)].filter(([here]) => local.has(here));
    const own = whole !== undefined && local.has(whole) ? [[whole, whole] as const] : [];
    return { path, names: new Map([...imported, ...own]) };
  });
  return [...stars, ...named, ...passed.filter(({ names }) => names.size > 0)];
}

/** `a, type B, c as d` as `a → a, B → B, d → c`. */
function namesIn(list: string): Map<string, string> {
  return new Map(
    list.split(',').flatMap((part) => {
      const [, there, here] = /^\s*(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/.exec(part) ?? [];
      return there === undefined ? [] : [[here ?? there, there] as const];
    }),
  );
}
