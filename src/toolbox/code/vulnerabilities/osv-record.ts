import { z } from 'zod';
import type { LockedPackage } from './locked-package.ts';

const eventSchema = z.object({
  introduced: z.string().optional(),
  fixed: z.string().optional(),
  last_affected: z.string().optional(),
  limit: z.string().optional(),
});

const severitySchema = z.object({ type: z.string(), score: z.string() });

const affectedSchema = z.object({
  package: z.object({ ecosystem: z.string(), name: z.string() }).optional(),
  severity: z.array(severitySchema).nullish(),
  ranges: z.array(z.object({ type: z.string(), events: z.array(eventSchema) })).nullish(),
  versions: z.array(z.string()).nullish(),
});

/** The part of an OSV record (schema 1.x) that is used here; everything else is let through unread. */
export const osvRecordSchema = z.object({
  id: z.string().min(1),
  modified: z.string(),
  withdrawn: z.string().nullish(),
  aliases: z.array(z.string()).nullish(),
  summary: z.string().nullish(),
  details: z.string().nullish(),
  severity: z.array(severitySchema).nullish(),
  affected: z.array(affectedSchema).nullish(),
  database_specific: z.object({ severity: z.unknown().optional() }).nullish(),
});

export type OsvRecord = z.output<typeof osvRecordSchema>;

export type OsvAffected = z.output<typeof affectedSchema>;

export type OsvEvent = z.output<typeof eventSchema>;

/** Port: a database of vulnerabilities by package version. */
export interface OsvSource {
  readonly kind: 'osv-api' | 'osv-directory';
  /** Records per package, in the order of `packages`. Throws when it cannot tell for all of them. */
  lookUp(packages: readonly LockedPackage[], options: LookUpOptions): Promise<OsvAnswer>;
}

export interface LookUpOptions {
  readonly signal: AbortSignal;
  readonly progress: (done: number, total: number, message: string) => void;
}

export interface OsvAnswer {
  readonly records: readonly (readonly OsvRecord[])[];
  /** How new the knowledge is. */
  readonly asOf: string;
  readonly warnings: readonly string[];
}
