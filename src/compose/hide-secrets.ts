import type { HideSecrets } from '../contract/secret/index.ts';

/** Hides what `scan_secrets` finds; loaded when it is first used. */
export async function hideSecrets(): Promise<HideSecrets> {
  const code = await import('../toolbox/code/index.ts');
  return code.hideSecrets;
}
