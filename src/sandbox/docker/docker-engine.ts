import { z } from 'zod';
import type { Architecture } from '../seccomp/syscalls.ts';
import type { DockerApi } from './docker-api.ts';
import { lookupTable } from '../../kernel/index.ts';

const infoSchema = z.looseObject({
  ServerVersion: z.string().default('unknown'),
  OSType: z.string().default('linux'),
  Architecture: z.string().default(''),
  MemoryLimit: z.boolean().default(false),
  PidsLimit: z.boolean().default(false),
  CpuCfsQuota: z.boolean().default(false),
  // Older engines say it by another name.
  CPUCfsQuota: z.boolean().default(false),
  SecurityOptions: z.array(z.string()).nullish(),
});

/** What an engine says of itself, as far as it matters to a sandbox. */
export interface DockerEngine {
  readonly version: string;
  /** Null when we have no filter of system calls for it. */
  readonly architecture: Architecture | null;
  /** What its kernel can limit. */
  readonly limits: { readonly memory: boolean; readonly pids: boolean; readonly cpus: boolean };
  /** Users inside are others outside. */
  readonly hasUserNamespaces: boolean;
}

const architectures: Readonly<Record<string, Architecture>> = lookupTable({
  x86_64: 'x64',
  amd64: 'x64',
  aarch64: 'arm64',
  arm64: 'arm64',
});

export async function examineEngine(api: DockerApi, signal?: AbortSignal): Promise<DockerEngine> {
  const info = infoSchema.parse(await api.call({ method: 'GET', path: '/info', signal }));
  const security = info.SecurityOptions ?? [];
  return {
    version: info.ServerVersion,
    architecture:
      info.OSType === 'linux' ? (architectures[info.Architecture.toLowerCase()] ?? null) : null,
    limits: {
      memory: info.MemoryLimit,
      pids: info.PidsLimit,
      cpus: info.CpuCfsQuota || info.CPUCfsQuota,
    },
    hasUserNamespaces: security.some((option) => /^name=(?:userns|rootless)\b/.test(option)),
  };
}
