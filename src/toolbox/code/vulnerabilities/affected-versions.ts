import type { OsvAffected, OsvEvent, OsvRecord } from './osv-record.ts';
import type { Ecosystem, LockedPackage } from './locked-package.ts';
import { versionOrderOf, type VersionOrder, compareSemver } from './compare-versions.ts';

/** The name under which OSV keeps a package: PyPI names are compared as PEP 503 normalises them. */
export function normalizeName(ecosystem: string, name: string): string {
  return ecosystem === 'PyPI' ? name.toLowerCase().replace(/[-_.]+/g, '-') : name;
}

/** Does the record say that this version of this package is affected? (OSV's evaluation algorithm.) */
export function isAffected(record: OsvRecord, locked: LockedPackage): boolean {
  return affectedEntries(record, locked).some((entry) => isEntryAffected(entry, locked));
}

function isEntryAffected(entry: OsvAffected, locked: LockedPackage): boolean {
  const order = versionOrderOf(locked.ecosystem);
  if (entry.versions?.some((version) => isSameVersion(order, version, locked.version))) return true;
  return (entry.ranges ?? []).some(
    (range) =>
      range.type !== 'GIT' &&
      isInRange(range.events, locked.version, range.type === 'SEMVER' ? compareSemver : order),
  );
}

/** Versions in which the fault is cured and that are newer than the given one, lowest first. */
export function fixedVersions(record: OsvRecord, locked: LockedPackage): string[] {
  const order = versionOrderOf(locked.ecosystem);
  const fixes = affectedEntries(record, locked)
    .flatMap((entry) => entry.ranges ?? [])
    .filter((range) => range.type !== 'GIT')
    .flatMap((range) => range.events.flatMap((event) => event.fixed ?? []))
    .filter((version) => (order(version, locked.version) ?? 1) > 0);
  return [...new Set(fixes)].sort((a, b) => order(a, b) ?? 0);
}

/** Parts of a record about this package; `Maven:https://…` names a repository, not another ecosystem. */
function affectedEntries(
  record: OsvRecord,
  locked: { readonly ecosystem: Ecosystem; readonly name: string },
): OsvAffected[] {
  const name = normalizeName(locked.ecosystem, locked.name);
  return (record.affected ?? []).filter(
    (entry) =>
      entry.package?.ecosystem.split(':')[0] === locked.ecosystem &&
      normalizeName(locked.ecosystem, entry.package.name) === name,
  );
}

function isSameVersion(order: VersionOrder, a: string, b: string): boolean {
  return a === b || order(a, b) === 0;
}

function isInRange(events: readonly OsvEvent[], version: string, order: VersionOrder): boolean {
  if (!isBeforeLimits(events, version, order)) return false;
  let isVulnerable = false;
  for (const { kind, at } of sortEvents(events, order)) {
    const place = at === '0' && kind === 'introduced' ? 1 : order(version, at);
    if (place === undefined) continue;
    if (kind === 'introduced' && place >= 0) isVulnerable = true;
    if (kind === 'fixed' && place >= 0) isVulnerable = false;
    if (kind === 'last_affected' && place > 0) isVulnerable = false;
  }
  return isVulnerable;
}

function isBeforeLimits(
  events: readonly OsvEvent[],
  version: string,
  order: VersionOrder,
): boolean {
  const limits = events.flatMap((event) => event.limit ?? []);
  return (
    limits.length === 0 || limits.some((limit) => limit === '*' || (order(version, limit) ?? 0) < 0)
  );
}

interface RangeEvent {
  readonly kind: 'introduced' | 'fixed' | 'last_affected';
  readonly at: string;
}

/** At one and the same version a fix comes first, so that a fault introduced again there counts. */
const kindOrder = { fixed: 0, introduced: 1, last_affected: 2 };

function sortEvents(events: readonly OsvEvent[], order: VersionOrder): RangeEvent[] {
  const flat = events.flatMap((event): RangeEvent[] => {
    if (event.introduced !== undefined) return [{ kind: 'introduced', at: event.introduced }];
    if (event.fixed !== undefined) return [{ kind: 'fixed', at: event.fixed }];
    if (event.last_affected === undefined) return [];
    return [{ kind: 'last_affected', at: event.last_affected }];
  });
  return flat.sort((a, b) => {
    if (a.at === '0' || b.at === '0') return Number(b.at === '0') - Number(a.at === '0');
    return (order(a.at, b.at) ?? 0) || kindOrder[a.kind] - kindOrder[b.kind];
  });
}
