import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder with these files in it; links are written `{ link: target }`. Gone after `remove`. */
export interface TemporaryProject {
  readonly folder: string;
  write(files: Readonly<Record<string, string | Buffer | { readonly link: string }>>): void;
  remove(): void;
}

export function aTemporaryProject(
  files: Parameters<TemporaryProject['write']>[0] = {},
): TemporaryProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tutti-docs-')));
  const write: TemporaryProject['write'] = (contents) => {
    for (const [path, content] of Object.entries(contents)) {
      const absolute = join(folder, path);
      mkdirSync(dirname(absolute), { recursive: true });
      if (typeof content === 'string' || Buffer.isBuffer(content)) writeFileSync(absolute, content);
      else symlinkSync(content.link, absolute);
    }
  };
  write(files);
  return { folder, write, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
