import { z } from 'zod';

const textByName = z.record(z.string(), z.string());

/** What the isolation canary answers. It comes from inside, so nothing of it is taken on trust. */
export const isolationFindings = z.object({
  platform: z.string(),
  uid: z.number(),
  gid: z.number(),
  groups: z.array(z.number()),
  systemOwner: z.union([z.number(), z.string()]),
  becomeRoot: z.string(),
  status: textByName,
  uidMap: z.string(),
  namespaces: textByName,
  processes: z.number(),
  hostPidStartedAt: z.string().nullable(),
  session: z.string().nullable(),
  terminal: z.string(),
  hostname: z.string(),
  machineId: z.string(),
  variables: textByName,
  environments: z.array(z.string()),
  files: z.array(z.string()),
  writes: textByName,
  interfaces: z.array(z.string()),
  tcp: z.string(),
  unix: z.string(),
  nestedNamespace: z.string(),
  systemCalls: z.string(),
});

export type IsolationFindings = z.infer<typeof isolationFindings>;
