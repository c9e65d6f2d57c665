import { z } from 'zod';
import type { TrustedProject } from '../contract/server-files/index.ts';
import { listFile } from './locked-file.ts';

const trust = listFile<TrustedProject>({
  name: 'trust.json',
  key: 'projects',
  item: z.object({ file: z.string(), digest: z.string(), trustedAt: z.string() }),
});

/** Whether a project is trusted in exactly its present state. */
export function isTrustedAs(
  project: Pick<TrustedProject, 'file' | 'digest'> | undefined,
  trusted: readonly TrustedProject[],
): boolean {
  return trusted.some(({ file, digest }) => file === project?.file && digest === project.digest);
}

export const trustFile = trust.path;

/** The trusted projects. A damaged file trusts none. */
export const readTrust = trust.read;

/** Trusts a project in the state that its digest describes, and in no earlier one. */
export async function grantTrust(home: string, project: TrustedProject): Promise<void> {
  await trust.change(home, (projects) => [
    ...projects.filter(({ file }) => file !== project.file),
    project,
  ]);
}

/** Returns whether the project was trusted. */
export async function revokeTrust(home: string, file: string): Promise<boolean> {
  let wasTrusted = false;
  await trust.change(home, (projects) => {
    const kept = projects.filter((project) => project.file !== file);
    wasTrusted = kept.length < projects.length;
    return kept;
  });
  return wasTrusted;
}
