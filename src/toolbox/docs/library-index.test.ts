import { afterEach, describe, expect, it } from 'vitest';
import {
  aTemporaryProject,
  type TemporaryProject,
} from '../../../testkit/toolbox/docs/temporary-project.ts';
import { type Library, docsLimits } from './library.ts';
import { IndexCache } from './library-index.ts';
import { InstalledLibraries } from './find/installed-libraries.ts';

let project: TemporaryProject;
afterEach(() => project.remove());

async function libraries(names: readonly string[]): Promise<Library[]> {
  project = aTemporaryProject(
    Object.fromEntries(
      names.map((name) => [`node_modules/${name}/README.md`, `# ${name}\n\ntext\n`]),
    ),
  );
  const installed = new InstalledLibraries({ roots: [project.folder] });
  const opened = await Promise.all((await installed.list()).map((one) => installed.open(one)));
  return opened.flatMap((one) => (one.kind === 'opened' ? [one.library] : []));
}

describe('kept indexes', () => {
  it('are shared by those who ask at once and later', async () => {
    const [library] = await libraries(['a']);
    const cache = new IndexCache({ now: () => 0 });
    const [first, second] = await Promise.all([cache.get(library!), cache.get(library!)]);
    expect(second).toBe(first);
    expect(await cache.get(library!)).toBe(first);
  });

  it('are bounded in text, those used last stay', async () => {
    const [a, b, c] = await libraries(['a', 'b', 'c']);
    const keyChars = `${a!.id} ${a!.realFolder}`.length;
    const maxIndexedChars = 3 * keyChars;
    const cache = new IndexCache({ now: () => 0 }, { ...docsLimits, maxIndexedChars });
    const first = await cache.get(a!);
    const second = await cache.get(b!);
    expect(await cache.get(a!)).toBe(first);
    await cache.get(c!);
    expect(await cache.get(a!)).toBe(first);
    expect(await cache.get(b!)).not.toBe(second);
  });

  it('end reading when the time is up, and say so', async () => {
    const [library] = await libraries(['a']);
    let now = 0;
    const cache = new IndexCache({ now: () => (now += docsLimits.maxIndexMs + 1) });
    const index = await cache.get(library!);
    expect(index.size).toBe(0);
    expect(index.notes).toEqual(['0 of its 1 documents were read; the rest is beyond the limits.']);
  });
});
