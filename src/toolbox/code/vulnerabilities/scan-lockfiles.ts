import cvss from 'ae-cvss-calculator';
import type { CallContext } from '../../../contract/server/index.ts';
import { severities, type Severity } from '../finding.ts';
import { fixedVersions, isAffected } from './affected-versions.ts';
import type { OsvRecord, OsvSource } from './osv-record.ts';
import {
  severitySources,
  type ScanReport,
  type Vulnerability,
  type SeveritySource,
} from './scan-dependencies-tool.ts';
import type { FoundPackage, Lockfile } from './read-lockfiles.ts';
import { versionOrderOf } from './compare-versions.ts';
import { lookupTable } from '../../../kernel/index.ts';

const maxSkippedShown = 100;

/** Looks every locked package up and describes what is known against it. */
export async function scanLockfiles(
  lockfiles: readonly Lockfile[],
  source: OsvSource,
  call: CallContext,
): Promise<ScanReport> {
  const unique = uniquePackages(lockfiles);
  const answer = await source.lookUp([...unique.values()], {
    signal: call.signal,
    progress: (progress, total, message) => call.progress({ progress, total, message }),
  });
  const recordsOf = new Map([...unique.keys()].map((key, index) => [key, answer.records[index]]));
  const affected: AffectedPackage[] = lockfiles.flatMap(({ path, packages }) =>
    [...uniquePackages([{ path, packages, skipped: [] }])].map(([key, locked]) => ({
      lockfile: path,
      locked,
      records: (recordsOf.get(key) ?? []).filter((record) => !record.withdrawn),
    })),
  );
  const hit = affected
    .filter(({ records }) => records.length > 0)
    .map((one) => ({ one, found: describeVulnerabilities(one).sort(compareVulnerabilities) }))
    .sort((a, b) => compareWorst(a.found, b.found));
  const skipped = lockfiles.flatMap((file) =>
    file.skipped.map(({ name, line, reason }) => ({
      lockfile: file.path,
      package: name,
      line,
      reason,
    })),
  );
  return {
    vulnerabilities: hit.flatMap(({ found }) => found).sort(compareVulnerabilities),
    packages_scanned: unique.size,
    lockfiles: lockfiles.map(({ path, packages }) => ({ path, packages: packages.length })),
    skipped: skipped.slice(0, maxSkippedShown),
    skipped_count: skipped.length,
    source: source.kind,
    as_of: answer.asOf,
    recommendations: [...new Set(hit.map(({ one }) => recommendUpgrade(one)))],
    warnings: [...answer.warnings],
  };
}

/** A version that several entries or lock files share is looked up once; a known path is kept. */
function uniquePackages(lockfiles: readonly Lockfile[]): ReadonlyMap<string, FoundPackage> {
  const unique = new Map<string, FoundPackage>();
  for (const locked of lockfiles.flatMap(({ packages }) => packages)) {
    const key = `${locked.ecosystem}\n${locked.name}\n${locked.version}`;
    const known = unique.get(key);
    const isShorter =
      (locked.dependencyPath?.length ?? Infinity) < (known?.dependencyPath?.length ?? Infinity);
    if (!known || isShorter) unique.set(key, locked);
  }
  return unique;
}

/** By the first of each, which is the worst. */
function compareWorst(a: readonly Vulnerability[], b: readonly Vulnerability[]): number {
  const [worstA, worstB] = [a[0], b[0]];
  return worstA && worstB ? compareVulnerabilities(worstA, worstB) : b.length - a.length;
}

function compareVulnerabilities(a: Vulnerability, b: Vulnerability): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    (b.cvss_score ?? 0) - (a.cvss_score ?? 0) ||
    compareText(a.lockfile, b.lockfile) ||
    compareText(a.package, b.package) ||
    compareText(a.id, b.id)
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A package with everything that is known against it. */
interface AffectedPackage {
  readonly lockfile: string;
  readonly locked: FoundPackage;
  readonly records: readonly OsvRecord[];
}

/** One entry per vulnerability: records that are aliases of one another are reported once. */
function describeVulnerabilities(affected: AffectedPackage): Vulnerability[] {
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
    cvss_score: score,
    summary: summaryOf(sorted),
    fixed_versions: [...fixes].sort((a, b) => order(a, b) ?? 0),
    lockfile,
    line,
    direct,
    dependency_path: dependencyPath && [...dependencyPath],
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

/** A rating counts more than an assumption; among equals the worse one counts. */
function worstOf(assessments: readonly Assessment[]): Assessment {
  const [worst] = assessments.toSorted(
    (a, b) =>
      severitySources.indexOf(a.source) - severitySources.indexOf(b.source) ||
      severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
      (b.score ?? 0) - (a.score ?? 0),
  );
  return worst ?? { severity: 'major', source: 'assumed' };
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
function recommendUpgrade(affected: AffectedPackage): string {
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

interface Assessment {
  readonly severity: Severity;
  readonly source: SeveritySource;
  /** CVSS base score, where a vector gives one. */
  readonly score?: number;
}

const labels: Readonly<Record<string, Severity>> = lookupTable({
  CRITICAL: 'critical',
  HIGH: 'major',
  MODERATE: 'minor',
  MEDIUM: 'minor',
  LOW: 'info',
  NONE: 'info',
});

/**
 * How bad a vulnerability is: the highest CVSS 3 score, else the highest CVSS 4 score, else the
 * database's own label, else `major`, because an unrated vulnerability must not look harmless.
 */
export function assessSeverity(record: OsvRecord): Assessment {
  const vectors = [record, ...(record.affected ?? [])]
    .flatMap(({ severity }) => severity ?? [])
    .map(({ score }) => score);
  const score =
    highest(vectors.filter((vector) => vector.startsWith('CVSS:3.'))) ??
    highest(vectors.filter((vector) => vector.startsWith('CVSS:4.')));
  if (score !== undefined) return { severity: severityOfScore(score), source: 'cvss', score };
  const label = labels[String(record.database_specific?.severity).toUpperCase()];
  return label ? { severity: label, source: 'label' } : { severity: 'major', source: 'assumed' };
}

function highest(vectors: readonly string[]): number | undefined {
  const scores = vectors.flatMap((vector) => baseScore(vector) ?? []);
  return scores.length === 0 ? undefined : Math.max(...scores);
}

const maxVectorLength = 400;

/** Base score of a CVSS 3.0, 3.1 or 4.0 vector; `undefined` when a base metric is missing or unknown. */
export function baseScore(vector: string): number | undefined {
  if (vector.length > maxVectorLength) return undefined;
  try {
    if (vector.startsWith('CVSS:4.0/')) {
      const parsed = new cvss.Cvss4P0(vector);
      return parsed.isBaseFullyDefined() ? parsed.calculateScores().baseMetricsOnly : undefined;
    }
    if (vector.startsWith('CVSS:3.1/')) return new cvss.Cvss3P1(vector).calculateScores().base;
    if (vector.startsWith('CVSS:3.0/')) return new cvss.Cvss3P0(vector).calculateScores().base;
    return undefined;
  } catch {
    return undefined;
  }
}

/** The qualitative bands of CVSS: critical, high, medium, and low or none. */
export function severityOfScore(score: number): Severity {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'major';
  return score >= 4 ? 'minor' : 'info';
}
