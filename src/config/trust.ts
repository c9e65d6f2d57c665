import { join } from 'node:path';
import { z } from 'zod';
import type { TrustedProject } from '../contract/server-files/index.ts';
import {
  decodeText,
  makeFolderFor,
  readBytes,
  withFileLock,
  writeFileAtomically,
} from './locked-file.ts';

const trustSchema = z.object({
  projects: z.array(z.object({ file: z.string(), digest: z.string(), trustedAt: z.string() })),
});
const maxTrustBytes = 4_194_304;

export function trustFile(home: string): string {
  return join(home, 'trust.json');
}

/** Whether a project is trusted just as it is. */
export function isTrustedAs(
  project: Pick<TrustedProject, 'file' | 'digest'> | undefined,
  trusted: readonly TrustedProject[],
): boolean {
  return trusted.some(({ file, digest }) => file === project?.file && digest === project.digest);
}

/** The projects trusted so far. A file that is damaged trusts nothing. */
export async function readTrust(home: string): Promise<readonly TrustedProject[]> {
  try {
    const bytes = await readBytes(trustFile(home), maxTrustBytes);
    const text = bytes && decodeText(bytes);
    return text === undefined ? [] : trustSchema.parse(JSON.parse(text)).projects;
  } catch {
    return [];
  }
}

/** Trusts a project as its digest describes it, in place of what was trusted of it before. */
export async function grantTrust(home: string, project: TrustedProject): Promise<void> {
  await changeTrust(home, (projects) => [
    ...projects.filter(({ file }) => file !== project.file),
    project,
  ]);
}

/** Says whether there was trust to take back. */
export async function revokeTrust(home: string, file: string): Promise<boolean> {
  let wasTrusted = false;
  await changeTrust(home, (projects) => {
    const kept = projects.filter((project) => project.file !== file);
    wasTrusted = kept.length < projects.length;
    return kept;
  });
  return wasTrusted;
}

async function changeTrust(
  home: string,
  change: (projects: readonly TrustedProject[]) => readonly TrustedProject[],
): Promise<void> {
  const path = trustFile(home);
  await makeFolderFor(path);
  await withFileLock(path, async () => {
    const projects = change(await readTrust(home));
    await writeFileAtomically(path, `${JSON.stringify({ projects }, null, 2)}\n`);
  });
}
