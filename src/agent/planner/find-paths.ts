import type { ProjectFiles } from './plan-request.ts';
import type { FoundPath, Word } from './read-words.ts';

/** More files than these are not looked through for a name. */
const maxFiles = 5_000;
const folderWords =
  /^(?:folder|directory|dir|foler|ordner|verzeichnis|dossier|carpeta|package|module)$/u;
const inWords = /^(?:in|inside|under|below|within|of|from|for|at|im|dans|en|unter|to|into)$/u;
const ownWords = /^(?:the|our|my|der|die|das|le|la|el)$/u;

export interface PathReading {
  readonly words: readonly Word[];
  /** Names of files that are in several folders, with where. */
  readonly unclear: readonly { readonly name: string; readonly paths: readonly string[] }[];
  /** Names that look like files and are none, with the nearest there are. */
  readonly missing: readonly { readonly name: string; readonly near: readonly string[] }[];
  readonly hasFiles: boolean;
}

interface Tree {
  readonly files: readonly string[];
  readonly byName: ReadonlyMap<string, readonly string[]>;
  readonly byStem: ReadonlyMap<string, readonly string[]>;
  readonly folders: ReadonlyMap<string, readonly string[]>;
}

/** Finds the words that are files or folders inside the roots; everything else stays a word. */
export async function findPaths(words: readonly Word[], files: ProjectFiles): Promise<PathReading> {
  const tree = indexTree(await files.list(maxFiles));
  const unclear: { name: string; paths: readonly string[] }[] = [];
  const missing: { name: string; near: readonly string[] }[] = [];
  const read: Word[] = [];
  for (const [at, word] of words.entries()) {
    const around = { before: words[at - 1], beforeThat: words[at - 2], after: words[at + 1] };
    if (word.meaning.classes.has('wholeProject') && isScope(word, around)) {
      read.push({ ...word, path: { path: '.', kind: 'folder' } });
    } else if (word.kind === 'path' || (word.kind === 'quote' && looksLikeFile(word.text))) {
      const found = await findNamed(word.text, files, tree);
      if (found.length === 1 && found[0]) read.push({ ...word, kind: 'path', path: found[0] });
      else if (found.length > 1) {
        const paths = found.map(({ path }) => path);
        unclear.push({ name: word.text, paths });
        read.push({ ...word, kind: 'path', path: { path: paths[0] ?? '', kind: 'file' } });
      } else if (looksLikeFile(word.text)) {
        if (tree.files.length > 0)
          missing.push({ name: word.text, near: nearNames(word.text, tree) });
        read.push({ ...word, kind: 'path', path: { path: word.text, kind: 'new' } });
      } else read.push({ ...word, kind: 'word' });
    } else read.push(withPath(word, around, tree));
  }
  return { words: read, unclear, missing, hasFiles: tree.files.length > 0 };
}

/** "one" and "this" may be a scope or point back; a scope stands for itself. */
function isScope({ plain }: Word, { before, after }: Around): boolean {
  if (plain === 'here' || plain === 'hier' || plain === 'ici') return after?.plain !== 'is';
  return before?.plain !== 'for my';
}

interface Around {
  readonly before: Word | undefined;
  readonly beforeThat: Word | undefined;
  readonly after: Word | undefined;
}

function indexTree(files: readonly string[]): Tree {
  const byName = new Map<string, string[]>();
  const byStem = new Map<string, string[]>();
  const folders = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, key: string, path: string): void => {
    const known = map.get(key) ?? [];
    if (!known.includes(path)) map.set(key, [...known, path]);
  };
  for (const file of files) {
    const parts = file.split('/');
    const name = (parts.at(-1) ?? '').toLowerCase();
    add(byName, name, file);
    add(byStem, name.replace(/\.[^.]*$/u, ''), file);
    for (let depth = 1; depth < parts.length; depth += 1) {
      add(folders, (parts[depth - 1] ?? '').toLowerCase(), parts.slice(0, depth).join('/'));
    }
  }
  return { files, byName, byStem, folders };
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
  const below = path.includes('/')
    ? tree.files.filter((file) => `/${file.toLowerCase()}`.endsWith(ending))
    : (tree.byName.get(path.toLowerCase()) ?? []);
  if (below.length > 0) return below.map((file) => ({ path: file, kind: 'file' }));
  const named = path.includes('/') ? [] : (tree.folders.get(path.toLowerCase()) ?? []);
  return named.map((folder) => ({ path: folder, kind: 'folder' }));
}

/** A word that is the name of a folder or a file: an ordinary word needs a sign that it is meant as one. */
function withPath(word: Word, around: Around, tree: Tree): Word {
  if (word.kind !== 'word' && word.kind !== 'symbol' && word.kind !== 'quote') return word;
  const name = word.text.toLowerCase();
  const { verbs, nouns, classes } = word.meaning;
  const isOrdinary = verbs.length + nouns.length > 0 || classes.size > 0;
  const isCalledFolder = folderWords.test(around.after?.plain ?? '') || word.text.endsWith('/');
  const isInside =
    inWords.test(around.before?.plain ?? '') ||
    (ownWords.test(around.before?.plain ?? '') && inWords.test(around.beforeThat?.plain ?? ''));
  const [folder, ...otherFolders] = tree.folders.get(name) ?? [];
  const isFolder = isCalledFolder || !isOrdinary || (isInside && !classes.has('function'));
  if (folder !== undefined && otherFolders.length === 0 && isFolder) {
    return { ...word, path: { path: folder, kind: 'folder' } };
  }
  const [top] = (tree.folders.get(name) ?? []).filter((path) => !path.includes('/'));
  if (top !== undefined && isFolder) return { ...word, path: { path: top, kind: 'folder' } };
  const candidates = [...(tree.byName.get(name) ?? []), ...(tree.byStem.get(name) ?? [])];
  const source = candidates.filter((path) => !/(?:^|\/)(?:tests?|__tests__)\//u.test(path));
  const [file, ...otherFiles] = [...new Set(source)];
  const isNamed = !isOrdinary || (ownWords.test(around.before?.plain ?? '') && verbs.length === 0);
  if (file === undefined || otherFiles.length > 0 || name.length < 3 || !isNamed) return word;
  return { ...word, path: { path: file, kind: 'file' } };
}

const endings =
  /\.(?:py|pyi|js|mjs|cjs|jsx|ts|tsx|mts|java|go|rs|sql|html?|css|scss|cs|cpp|cc|c|h|hpp|php|rb|kts?|swift|scala|sh|bash|ps1|pl|hs|exs?|dart|lua|jl|clj|vue|svelte|md|txt|rst|json|ya?ml|toml|xml|ini|env|cfg|conf|lock|csv|log|ipynb|gradle|tf|proto|mod)$/iu;

function looksLikeFile(text: string): boolean {
  return (
    endings.test(text) ||
    /^(?:\.{1,2}|~)?\//u.test(text) ||
    /^\.[a-z]/iu.test(text) ||
    text.endsWith('/')
  );
}

function nearNames(name: string, { files }: Tree): readonly string[] {
  const base = (name.split('/').at(-1) ?? name).toLowerCase();
  const stem = base.replace(/\.[^.]*$/u, '');
  const likeness = (file: string): number => {
    const other = (file.split('/').at(-1) ?? file).toLowerCase();
    if (other === base) return 4;
    if (other.startsWith(`${stem}.`)) return 3;
    return stem.length >= 3 &&
      (other.includes(stem) || stem.includes(other.replace(/\.[^.]*$/u, '')))
      ? 2
      : 0;
  };
  return files
    .map((file) => ({ file, score: likeness(file) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ file }) => file);
}
