import type { Document, Library, Passage } from '../library.ts';
import { splitGo, splitPython, splitStub } from '../split/split-code.ts';
import { splitMarkdown } from '../split/split-markdown.ts';
import { npmDocuments } from './npm-documents.ts';
import type { PackageFiles } from './package-files.ts';

const goWeight = 0.9;

/** What of a library is worth reading, the most useful first. */
export async function findDocuments(
  library: Library,
  files: PackageFiles,
  paths: readonly string[],
): Promise<Document[]> {
  switch (library.ecosystem) {
    case 'npm':
      return byWorth([...proseDocuments(paths), ...(await npmDocuments(files, paths))]);
    case 'pypi':
      return pythonDocuments(files, paths);
    case 'go':
      return byWorth([...proseDocuments(paths), ...goDocuments(paths)]);
  }
}

function byWorth(documents: Document[]): Document[] {
  return documents.sort((a, b) => b.weight - a.weight);
}

function goDocuments(paths: readonly string[]): Document[] {
  return paths
    .filter(
      (path) => path.endsWith('.go') && !/_test\.go$|(?:^|\/)(?:internal|vendor)\//.test(path),
    )
    .map((file) => ({ file, kind: 'docstring', weight: goWeight, split: splitGo }));
}

const prose = /\.(?:md|mdx|markdown|rst|txt)$/i;
const readme = /^readme(?:\.(?:md|markdown|rst|txt))?$/i;
const changelog =
  /^(?:changelog|changes|history|news|release[-_]?notes|migrat\w*|upgrad\w*)(?:\.(?:md|markdown|rst|txt))?$/i;
/** Files for contributors to the package, not for its users. */
const unrelated =
  /^(?:licen[cs]e|copying|notice|contributing|code[-_]of[-_]conduct|security|authors|contributors|governance|third|requirements)/i;

/** What was changed when answers a question less often than how something works. */
const changelogWeight = 0.6;
const docWeight = 0.95;

/** README, changelog and the pages of `docs/`. */
function proseDocuments(files: readonly string[]): Document[] {
  const found: Document[] = [];
  for (const file of files) {
    const isTop = !file.includes('/');
    const inDocs = /^(?:docs?|documentation|guides?)\//i.test(file) && prose.test(file);
    if (isTop && readme.test(file)) found.push(aDocument(file, 'readme', 1));
    else if (isTop && changelog.test(file))
      found.push(aDocument(file, 'changelog', changelogWeight));
    else if (inDocs || (isTop && prose.test(file) && !unrelated.test(file))) {
      found.push(aDocument(file, 'doc', docWeight));
    }
  }
  return found;
}

function aDocument(file: string, kind: Document['kind'], weight: number): Document {
  return { file, kind, weight, split: splitMarkdown };
}

const docstringWeight = 0.9;
/** The deeper a module lies, the less likely it is what users import. */
const deepWeight = 0.8;
const maxShallowParts = 2;
/** Modules whose names begin with an underscore are not meant for the reader, but often hold what others export. */
const innerWeight = 0.7;

/** The long description of a distribution, the docstrings of its modules, and its stubs. */
async function pythonDocuments(files: PackageFiles, paths: readonly string[]): Promise<Document[]> {
  const exported = await namesOfPackages(files, paths);
  const description = paths.find((path) => /-info\/(?:METADATA|PKG-INFO)$/.test(path));
  const modules = paths
    .filter(
      (path) => /\.pyi?$/.test(path) && !/(?:^|\/)(?:conftest|setup|test_\w*)\.py$/.test(path),
    )
    .map((file) => moduleDocument(file, exported))
    .sort((a, b) => b.weight - a.weight);
  if (description === undefined) return modules;
  const readme: Document = { file: description, kind: 'readme', weight: 1, split: splitMetadata };
  return [readme, ...modules];
}

const maxPackages = 5;

/** What the top packages of a distribution import from their own modules, for others to import from them. */
async function namesOfPackages(
  files: PackageFiles,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const entries = paths.filter((path) => /^[^/]+\/__init__\.pyi?$/.test(path));
  for (const entry of entries.slice(0, maxPackages)) {
    const text = (await files.read(entry))?.text ?? '';
    for (const [, list = ''] of text.matchAll(ownImport)) {
      for (const [name] of list.replaceAll(/#.*|\w+\s+as\b/g, '').matchAll(/\w+/g)) names.add(name);
    }
  }
  return names;
}

const ownImport = /^\s*from\s+\.[\w.]*\s+import\s+(\([^)]{0,20000}\)|[^\n(]+)/gm;

function moduleDocument(file: string, exported: ReadonlySet<string>): Document {
  const isInner = file
    .split('/')
    .some((part) => part.startsWith('_') && !part.startsWith('__init__'));
  const module = file
    .replace(/\.pyi?$/, '')
    .replace(/\/__init__$/, '')
    .replaceAll('/', '.');
  const isStub = file.endsWith('.pyi');
  const isShallow = file.split('/').length <= maxShallowParts;
  return {
    file,
    kind: isStub ? 'types' : 'docstring',
    weight: isInner ? innerWeight : isShallow ? docstringWeight : deepWeight,
    split: async (text, trees) => {
      const passages = await (isStub ? splitStub : splitPython)(text, trees, module);
      return passages.map((passage) => {
        const [name = ''] = passage.heading.slice(module.length + 1).split(/[.,]/);
        return exported.has(name) ? { ...passage, isExported: true } : passage;
      });
    },
  };
}

/** The text after the header fields; a `Description:` field of old files is left where it is. */
function splitMetadata(text: string): Passage[] {
  const end = text.indexOf('\n\n');
  if (end < 0) return [];
  const skipped = text.slice(0, end + 2).split('\n').length - 1;
  return splitMarkdown(text.slice(end + 2)).map((passage) => ({
    ...passage,
    line: passage.line + skipped,
  }));
}
