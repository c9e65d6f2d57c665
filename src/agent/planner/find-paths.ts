import type { ProjectFiles } from './plan-request.ts';
import { has, isKnown, type FoundPath, type Word } from './read-words.ts';

/** More files than these are not looked through for a name. */
const maxFiles = 5_000;
const folderWords = /^(?:folder|directory|dir|ordner|verzeichnis|dossier|carpeta|package|module)$/u;
const inWords = /^(?:in|inside|under|below|within|of|from|for|at|im|dans|en|unter|to|into)$/u;
const endings =
  /\.(?:py|pyi|js|mjs|cjs|jsx|ts|tsx|mts|java|go|rs|sql|html?|css|scss|cs|cpp|cc|c|h|hpp|php|rb|kts?|swift|scala|sh|bash|ps1|pl|hs|exs?|dart|lua|jl|clj|vue|svelte|md|txt|rst|json|ya?ml|toml|xml|ini|env|cfg|conf|lock|csv|log|ipynb|gradle|tf|proto|mod)$/iu;

export interface PathReading {
  readonly words: readonly Word[];
  /** Names that look like files and are none, or are in several folders, with what to ask. */
  readonly lost: readonly { readonly name: string; readonly question: string }[];
  readonly files: ReadonlySet<string>;
}

interface Tree {
  readonly files: readonly string[];
  /** By name, with and without the ending, in lower case. */
  readonly byName: ReadonlyMap<string, readonly string[]>;
  readonly folders: ReadonlyMap<string, readonly string[]>;
}

/** Finds the words that are files or folders inside the roots; everything else stays a word. */
export async function findPaths(words: readonly Word[], files: ProjectFiles): Promise<PathReading> {
  const tree = indexTree(await files.list(maxFiles));
  const lost: PathReading['lost'][number][] = [];
  const read: Word[] = [];
  for (const [at, word] of words.entries()) {
    const name = word.text;
    // TODO in capitals is a marker, not a Spanish word.
    const isMarker = /^[A-Z]{3,}$/u.test(name);
    if (has(word, 'wholeProject') && !isMarker)
      read.push({ ...word, path: { path: '.', kind: 'folder' } });
    else if (word.kind === 'path' || (word.kind === 'quote' && looksLikeFile(name))) {
      const found = await findNamed(name, files, tree);
      const question = questionAbout(name, found, tree);
      if (question !== undefined) lost.push({ name, question });
      const path = found[0] ?? (looksLikeFile(name) ? { path: name, kind: 'new' } : undefined);
      read.push(path ? { ...word, kind: 'path', path } : { ...word, kind: 'word' });
    } else if (/^(?:word|symbol|quote)$/u.test(word.kind))
      read.push(withPath(word, [words[at - 1], words[at + 1]], tree));
    else read.push(word);
  }
  return { words: read, lost, files: new Set(tree.files) };
}

function questionAbout(
  name: string,
  found: readonly FoundPath[],
  { files }: Tree,
): string | undefined {
  const paths = found.map(({ path }) => path).join(', ');
  if (found.length > 1) return `There are several files named "${name}": ${paths}. Which one?`;
  if (found.length === 1 || files.length === 0 || !looksLikeFile(name)) return undefined;
  const stemOf = (path: string): string =>
    (path.split('/').at(-1) ?? path).toLowerCase().replace(/\.[^.]*$/u, '');
  const stem = stemOf(name);
  const isNear = (other: string): boolean =>
    other !== '' && stem.length >= 3 && (other.includes(stem) || stem.includes(other));
  const near = files.filter((file) => isNear(stemOf(file))).slice(0, 3);
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'Which file do you mean?';
  return `There is no "${name}" here. ${hint}`;
}

function indexTree(files: readonly string[]): Tree {
  const byName = new Map<string, string[]>();
  const folders = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, key: string, path: string): void => {
    const known = map.get(key.toLowerCase()) ?? [];
    if (!known.includes(path)) map.set(key.toLowerCase(), [...known, path]);
  };
  for (const file of files) {
    const parts = file.split('/');
    const name = parts.at(-1) ?? '';
    add(byName, name, file);
    add(byName, name.replace(/\.[^.]*$/u, ''), file);
    for (const [at, part] of parts.slice(0, -1).entries())
      add(folders, part, parts.slice(0, at + 1).join('/'));
  }
  return { files, byName, folders };
}

async function findNamed(
  text: string,
  files: ProjectFiles,
  tree: Tree,
): Promise<readonly FoundPath[]> {
  const path = text.replace(/(?<=.)\/$/u, '');
  if (path.includes('*')) return [{ path, kind: 'folder' }];
  const kind = await files.kind(path);
  if (kind) return [{ path, kind }];
  const ending = `/${path.toLowerCase()}`;
  const below = tree.files.filter((file) => `/${file.toLowerCase()}`.endsWith(ending));
  if (below.length > 0) return below.map((file) => ({ path: file, kind: 'file' }));
  return (tree.folders.get(path.toLowerCase()) ?? []).map((one) => ({ path: one, kind: 'folder' }));
}

/** A word that is the name of a folder or a file: an ordinary word needs a sign that it is meant as one. */
function withPath(word: Word, [before, after]: readonly (Word | undefined)[], tree: Tree): Word {
  const isInside = inWords.test(before?.plain ?? '') && !has(word, 'function');
  const isFolder = folderWords.test(after?.plain ?? '') || !isKnown(word) || isInside;
  const folders = tree.folders.get(word.text.toLowerCase()) ?? [];
  const folder = folders.length === 1 ? folders[0] : folders.find((path) => !path.includes('/'));
  if (folder !== undefined && isFolder) return { ...word, path: { path: folder, kind: 'folder' } };
  const named = tree.byName.get(word.text.toLowerCase()) ?? [];
  const [file, ...others] = named.filter((path) => !/(?:^|\/)(?:tests?|__tests__)\//u.test(path));
  // "the readme" is a file, though it is an ordinary word.
  const isMeant = !isKnown(word) || (has(before, 'definite') && word.meaning.verbs.length === 0);
  if (file === undefined || others.length > 0 || word.text.length < 3 || !isMeant) return word;
  return { ...word, path: { path: file, kind: 'file' } };
}

function looksLikeFile(text: string): boolean {
  return endings.test(text) || /^(?:\.{1,2}|~)?\/|^\.[a-z]|\/$/iu.test(text);
}
