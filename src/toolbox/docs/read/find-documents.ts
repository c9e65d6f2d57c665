import type { Library } from '../library.ts';
import type { Document } from '../passage.ts';
import { splitGo } from '../split/split-code.ts';
import { splitMarkdown } from '../split/split-markdown.ts';
import { npmDocuments } from './npm-documents.ts';
import type { PackageFiles } from './package-files.ts';
import { pythonDocuments } from './python-documents.ts';

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
/** Files for those who work on the package, not with it. */
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
