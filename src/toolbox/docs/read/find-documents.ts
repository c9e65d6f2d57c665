import type { Library } from '../library.ts';
import { splitGo } from '../split/split-go.ts';
import type { Document } from './document.ts';
import { npmDocuments } from './npm-documents.ts';
import type { PackageFiles } from './package-files.ts';
import { proseDocuments } from './prose-documents.ts';
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
