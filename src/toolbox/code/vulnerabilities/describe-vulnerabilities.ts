import { z } from 'zod';
import { severities, type Severity } from '../finding.ts';
import { fixedVersions, isAffected } from './affected-versions.ts';
import { assessSeverity, severitySources, type Assessment } from './assess-severity.ts';
import { ecosystems } from './locked-package.ts';
import type { OsvRecord } from './osv-record.ts';
import type { FoundPackage } from './read-lockfiles.ts';
import { versionOrderOf } from './versions/compare-versions.ts';

export const vulnerabilitySchema = z.object({
  id: z.string(),
  aliases: z.array(z.string()),
  package: z.string(),
  ecosystem: z.enum(ecosystems),
  version: z.string(),
  severity: z.enum(severities),
  severity_source: z
    .enum(severitySources)
    .describe(
      'cvss: computed from a CVSS 3 vector; label: the database’s own word; approximated: from a CVSS 4 vector; assumed: nobody rated it.',
    ),
  cvss_score: z.number().optional().describe('CVSS 3 base score.'),
  summary: z.string(),
  fixed_versions: z.array(z.string()).describe('Newer versions that cure it, lowest first.'),
  lockfile: z.string(),
  line: z.int().optional(),
  direct: z.boolean().optional(),
  dependency_path: z.array(z.string()).optional(),
  url: z.string(),
});

export type Vulnerability = z.infer<typeof vulnerabilitySchema>;

/** A package with everything that is known against it. */
export interface AffectedPackage {
  readonly lockfile: string;
  readonly locked: FoundPackage;
  readonly records: readonly OsvRecord[];
}

/** One entry per vulnerability: records that are aliases of one another are told once. */
export function describeVulnerabilities(affected: AffectedPackage): Vulnerability[] {
  const current = affected.records.filter((record) => !record.withdrawn);
  return groupAliases(current).map((group) => describeGroup(group, affected));
}

const maxSummaryLength = 300;

function describeGroup(group: readonly OsvRecord[], affected: AffectedPackage): Vulnerability {
  const { locked, lockfile } = affected;
  const sorted = group.toSorted(
    (a, b) => preference(a.id) - preference(b.id) || (a.id < b.id ? -1 : 1),
  );
  const id = sorted[0]?.id ?? '';
  const names = new Set(sorted.flatMap((record) => [record.id, ...(record.aliases ?? [])]));
  names.delete(id);
  const { severity, source, score } = worstOf(sorted.map((record) => assessSeverity(record)));
  const order = versionOrderOf(locked.ecosystem);
  const fixes = new Set(sorted.flatMap((record) => fixedVersions(record, locked)));
  const { line, direct, dependencyPath } = locked;
  return {
    id,
    aliases: [...names].sort(),
    package: locked.name,
    ecosystem: locked.ecosystem,
    version: locked.version,
    severity,
    severity_source: source,
    ...(score === undefined ? {} : { cvss_score: score }),
    summary: summaryOf(sorted),
    fixed_versions: [...fixes].sort((a, b) => order(a, b) ?? 0),
    lockfile,
    ...(line === undefined ? {} : { line }),
    ...(direct === undefined ? {} : { direct }),
    ...(dependencyPath === undefined ? {} : { dependency_path: [...dependencyPath] }),
    url: `https://osv.dev/vulnerability/${encodeURIComponent(id)}`,
  };
}

/** Curated advisories first: they carry severities and summaries that the others often lack. */
function preference(id: string): number {
  const place = ['GHSA-', 'GO-', 'RUSTSEC-', 'PYSEC-', 'MAL-'].findIndex((prefix) =>
    id.startsWith(prefix),
  );
  return place < 0 ? 99 : place;
}

function summaryOf(records: readonly OsvRecord[]): string {
  const text =
    records.find((record) => record.summary)?.summary ??
    records.find((record) => record.details)?.details?.split('\n')[0] ??
    'No summary in the record.';
  return text.length > maxSummaryLength ? `${text.slice(0, maxSummaryLength)}…` : text;
}

/** A rating somebody gave counts more than an assumption; among equals the worse one counts. */
function worstOf(assessments: readonly Assessment[]): Assessment {
  const [worst] = assessments.toSorted(
    (a, b) =>
      severitySources.indexOf(a.source) - severitySources.indexOf(b.source) ||
      rank(a.severity) - rank(b.severity) ||
      (b.score ?? 0) - (a.score ?? 0),
  );
  return worst ?? { severity: 'major', source: 'assumed' };
}

function rank(severity: Severity): number {
  return severities.indexOf(severity);
}

/** Groups records that share an id or alias, also over several steps. */
function groupAliases(records: readonly OsvRecord[]): OsvRecord[][] {
  const groups: { names: Set<string>; records: OsvRecord[] }[] = [];
  for (const record of records) {
    const names = new Set([record.id, ...(record.aliases ?? [])]);
    const merged: OsvRecord[] = [record];
    for (let index = groups.length - 1; index >= 0; index -= 1) {
      const group = groups[index];
      if (!group || ![...names].some((name) => group.names.has(name))) continue;
      for (const name of group.names) names.add(name);
      merged.unshift(...group.records);
      groups.splice(index, 1);
    }
    groups.push({ names, records: merged });
  }
  return groups.map((group) => group.records);
}

/** The lowest newer version that none of the known records affects, or that there is none. */
export function recommendUpgrade(affected: AffectedPackage): string {
  const { locked, records } = affected;
  const order = versionOrderOf(locked.ecosystem);
  const candidates = [...new Set(records.flatMap((record) => fixedVersions(record, locked)))].sort(
    (a, b) => order(a, b) ?? 0,
  );
  const cure = candidates.find(
    (version) => !records.some((record) => isAffected(record, { ...locked, version })),
  );
  const what = `${locked.name} ${locked.version}`;
  if (cure === undefined) {
    return `${what}: no version is known to be free of these faults; consider removing or replacing it`;
  }
  const via = locked.dependencyPath?.slice(0, -1) ?? [];
  const through = via.length > 0 ? ` (comes in through ${via.join(' → ')})` : '';
  return `Upgrade ${what} to ${cure} or later${through}`;
}
