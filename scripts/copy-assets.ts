/** Copies what tsc leaves behind (Markdown, JSON, SQL beside the sources) into `dist/`, same tree. */
import { cp } from 'node:fs/promises';

const assetEndings = ['.md', '.json', '.yaml', '.sql'];

await cp('src', 'dist', {
  recursive: true,
  filter: (path) => !/\.[a-z]+$/.test(path) || assetEndings.some((ending) => path.endsWith(ending)),
});
