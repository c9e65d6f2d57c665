import type { Document, Passage } from '../passage.ts';
import { splitMarkdown } from '../split/split-markdown.ts';
import { splitPython, splitStub } from '../split/split-code.ts';
import type { PackageFiles } from './package-files.ts';

const docstringWeight = 0.9;
/** The deeper a module lies, the less likely it is what users import. */
const deepWeight = 0.8;
const maxShallowParts = 2;
/** Modules whose names begin with an underscore are not meant for the reader, but often hold what others export. */
const innerWeight = 0.7;

/** The long description of a distribution, the docstrings of its modules, and its stubs. */
export async function pythonDocuments(
  files: PackageFiles,
  paths: readonly string[],
): Promise<Document[]> {
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
