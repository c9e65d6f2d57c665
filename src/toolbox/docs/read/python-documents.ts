import type { Passage } from '../passage.ts';
import { splitMarkdown } from '../split/split-markdown.ts';
import { splitPython, splitStub } from '../split/split-python.ts';
import type { Document } from './document.ts';

const docstringWeight = 0.9;
/** The deeper a module lies, the less likely it is what users import. */
const deepWeight = 0.8;
const maxShallowParts = 2;
/** Modules whose names begin with an underscore are not meant for the reader, but often hold what others export. */
const innerWeight = 0.7;

/** The long description of a distribution, the docstrings of its modules, and its stubs. */
export function pythonDocuments(paths: readonly string[]): Document[] {
  const description = paths.find((path) => /-info\/(?:METADATA|PKG-INFO)$/.test(path));
  const modules = paths
    .filter(
      (path) => /\.pyi?$/.test(path) && !/(?:^|\/)(?:conftest|setup|test_\w*)\.py$/.test(path),
    )
    .map(moduleDocument)
    .sort((a, b) => b.weight - a.weight);
  if (description === undefined) return modules;
  const readme: Document = { file: description, kind: 'readme', weight: 1, split: splitMetadata };
  return [readme, ...modules];
}

function moduleDocument(file: string): Document {
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
    split: (text) => (isStub ? splitStub(text, module) : splitPython(text, module)),
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
