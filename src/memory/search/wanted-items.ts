import type { MemoryFilter, MemoryItem } from '../../contract/memory/index.ts';

/** Whether it belongs to this project, or to none. */
export function isOf({ source: { folder } }: MemoryItem, here: string | undefined): boolean {
  return folder === undefined || here === undefined || folder === here;
}

export function hasEnded({ supersededBy, validUntil }: MemoryItem, nowMs: number): boolean {
  return supersededBy !== null || (validUntil !== null && Date.parse(validUntil) <= nowMs);
}

export function turnKey(source: MemoryItem['source']): string | undefined {
  return source.kind === 'turn' ? `${source.session} ${source.turn}` : undefined;
}

/** The filter once more, for neighbours and pinned items: the store looks for them regardless of it. */
export function isWanted(item: MemoryItem, filter: MemoryFilter): boolean {
  const { kinds, statuses = ['active'], sensitivities = ['normal'], session } = filter;
  const { observedFrom, observedUntil, validAt } = filter;
  const atMs = Date.parse(item.observedAt);
  const validMs = validAt === undefined ? undefined : Date.parse(validAt);
  return (
    (kinds?.includes(item.kind) ?? true) &&
    statuses.includes(item.status) &&
    sensitivities.includes(item.sensitivity) &&
    (session === undefined || (item.source.kind === 'turn' && item.source.session === session)) &&
    (observedFrom === undefined || atMs >= Date.parse(observedFrom)) &&
    (observedUntil === undefined || atMs <= Date.parse(observedUntil)) &&
    (validMs === undefined ||
      (Date.parse(item.validFrom) <= validMs &&
        (item.validUntil === null || Date.parse(item.validUntil) > validMs)))
  );
}
