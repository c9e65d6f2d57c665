import { posix } from 'node:path';
import type { ProjectFiles } from '../planning.ts';
import { has, isKnown, type FoundPath, type Word } from './read-words.ts';

/** More files than these are not looked through for a name. */
const maxFiles = 5_000;
const endings =
  /\.(?:py|pyi|js|mjs|cjs|jsx|ts|tsx|mts|java|go|rs|sql|html?|css|scss|cs|cpp|cc|c|h|hpp|php|rb|kts?|swift|scala|sh|bash|ps1|pl|hs|exs?|dart|lua|jl|clj|vue|svelte|md|txt|rst|json|ya?ml|toml|xml|ini|env|cfg|conf|lock|csv|log|ipynb|gradle|tf|proto|mod)$/iu;

export type PathReading = Awaited<ReturnType<typeof findPaths>>;
type Tree = ReturnType<typeof indexTree>;

/** Finds the words that are files or folders inside the roots; everything else stays a word. */
export async function findPaths(words: readonly Word[], disk: ProjectFiles) {
  const tree = indexTree(await disk.list(maxFiles), disk);
  // Names that look like files and are none, or are in several folders, with what to ask.
  const lost: { readonly name: string; readonly question: string }[] = [];
  const read: Word[] = [];
  for (const [at, word] of words.entries()) {
    const name = word.text;
    if (has(word, 'wholeProject')) read.push({ ...word, path: { path: '.', kind: 'folder' } });
    else if (word.kind === 'path' || (word.kind === 'quote' && looksLikeFile(name))) {
      const found = await findNamed(name, tree);
      const question = questionAbout(name, found, tree);
      if (question !== undefined) lost.push({ name, question });
      const path = found[0] ?? (looksLikeFile(name) ? { path: name, kind: 'new' } : undefined);
      read.push(path ? { ...word, kind: 'path', path } : { ...word, kind: 'word' });
    } else if (/^(?:word|symbol|quote)$/u.test(word.kind))
      read.push(withPath(word, [words[at - 1], words[at + 1], read.at(-2)], tree));
    else read.push(word);
  }
  return { words: read, lost, files: new Set(tree.files) };
}

function questionAbout(name: string, found: readonly FoundPath[], { files }: Tree) {
  const paths = found.map(({ path }) => path).join(', ');
  if (found.length > 1) return `There are several files named "${name}": ${paths}. Which one?`;
  if (found.length === 1 || files.length === 0 || !looksLikeFile(name)) return undefined;
  const stem = stemOf(name);
  const isNear = (other: string): boolean =>
    other !== '' && stem.length >= 3 && (other.includes(stem) || stem.includes(other));
  const near = files.filter((file) => isNear(stemOf(file))).slice(0, 3);
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'Which file do you mean?';
  return `There is no "${name}" here. ${hint}`;
}

const nameOf = (path: string): string => posix.basename(path).toLowerCase();
/** The name without its ending, letters and digits only: "docker compose" is docker-compose.yml. */
const stemOf = (path: string): string =>
  posix.parse(path.toLowerCase()).name.replaceAll(/[^\p{L}\p{N}]/gu, '');

function indexTree(files: readonly string[], disk: ProjectFiles) {
  const folders = files.flatMap((file) =>
    [...file.matchAll(/\//gu)].map(({ index }) => file.slice(0, index)),
  );
  return {
    disk,
    files,
    byName: Map.groupBy(files, nameOf),
    byStem: Map.groupBy(files, stemOf),
    folders: Map.groupBy(new Set(folders), nameOf),
  };
}

async function findNamed(text: string, tree: Tree): Promise<readonly FoundPath[]> {
  const path = text.replace(/(?<=.)\/$/u, '');
  if (path.includes('*')) return [{ path, kind: 'folder' }];
  const kind = await tree.disk.kind(path);
  if (kind) return [{ path, kind }];
  const ending = `/${path.toLowerCase()}`;
  const below = tree.files.filter((file) => `/${file.toLowerCase()}`.endsWith(ending));
  if (below.length > 0) return below.map((file) => ({ path: file, kind: 'file' }));
  return (tree.folders.get(path.toLowerCase()) ?? []).map((one) => ({ path: one, kind: 'folder' }));
}

/** A word that is the name of a folder or a file: an ordinary word needs a sign that it is meant as one. */
function withPath(word: Word, around: readonly (Word | undefined)[], tree: Tree): Word {
  const [before, after, other] = around;
  const isNext = has(before, 'joins') && other?.path?.kind === 'folder';
  const isInside = (has(before, 'boundary') || isNext) && !has(word, 'function');
  const isFolder = isInside || after?.meaning.nouns.includes('folder') === true || !isKnown(word);
  // The shallowest comes first.
  const folder = tree.folders.get(word.text.toLowerCase())?.[0];
  if (folder !== undefined && isFolder) return { ...word, path: { path: folder, kind: 'folder' } };
  const name = word.text.toLowerCase();
  const stem = stemOf(`${name}.`);
  const both = after?.kind === 'word' ? tree.byStem.get(stemOf(`${name}${after.plain}.`)) : [];
  if (both?.length === 1 && word.meaning.verbs.length === 0)
    return { ...word, path: { path: both[0] ?? '', kind: 'file' } };
  const isTested = after?.meaning.nouns.includes('tests') === true;
  // "the cart tests" are in a file of their own.
  const own = [stem, `${stem}s`].flatMap((one) => [`test${one}`, `${one}test`, `${one}spec`]);
  const named = isTested
    ? own.flatMap((one) => tree.byStem.get(one) ?? [])
    : (tree.byName.get(name) ?? tree.byStem.get(stem) ?? []);
  const [file, ...others] = named;
  // "the readme" is a file, though it is an ordinary word.
  const { verbs, names } = word.meaning;
  const isNoun = verbs.length === 0 && names.focusAreas === undefined;
  const isMeant = !isKnown(word) || (has(before, 'definite') && isNoun);
  if (file === undefined || others.length > 0 || word.text.length < 3 || !isMeant) return word;
  return { ...word, path: { path: file, kind: 'file' } };
}

function looksLikeFile(text: string): boolean {
  return endings.test(text) || /^(?:\.{1,2}|~)?\/|^\.[a-z]|\/$/iu.test(text);
}
