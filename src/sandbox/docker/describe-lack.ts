import { z } from 'zod';
import { SandboxUnavailableError, ToolchainMissingError } from '../errors.ts';
import { DockerRequestError } from './errors.ts';

export interface Lack {
  readonly message: string;
  readonly fix?: string | undefined;
}

const lackDetails = z.object({
  drivers: z.tuple([z.object({ missing: z.array(z.string()), fixes: z.array(z.string()) })]),
});
const missingDetails = z.object({ problem: z.string(), install: z.string() });

/** What keeps containers from being used, in one sentence, and what helps. */
export function describeLack(error: unknown): Lack {
  if (error instanceof SandboxUnavailableError) {
    const [{ missing, fixes }] = lackDetails.parse(error.details).drivers;
    return { message: missing.join('; '), fix: fixes[0] };
  }
  if (error instanceof ToolchainMissingError) {
    const { problem, install } = missingDetails.parse(error.details);
    return { message: problem, fix: install };
  }
  const message = error instanceof Error ? error.message : String(error);
  const fix = error instanceof DockerRequestError ? fixOf(message) : undefined;
  return fix === undefined ? { message } : { message, fix };
}

function fixOf(message: string): string | undefined {
  if (message.includes('EACCES')) {
    return 'Allow yourself to use the engine, which makes you root on this machine: sudo usermod -aG docker $USER, then log in again. Rootless Docker or Podman need no such right';
  }
  if (message.includes('ECONNREFUSED')) return 'Start the engine: sudo systemctl start docker';
  return undefined;
}
