const dayMs = 86_400_000;

/** When something was, as people say it: `today`, `yesterday`, `on Tuesday`, `on 3 March 2026`; in the zone of this machine. */
export function sayDay(iso: string, nowMs: number): string {
  const date = new Date(iso);
  const days = Math.round((midnight(nowMs) - midnight(date.getTime())) / dayMs);
  if (Number.isNaN(days)) return 'at an unknown time';
  if (days <= 0) return 'today';
  if (days === 1) return 'yesterday';
  const how = days < 7 ? ({ weekday: 'long' } as const) : ({ dateStyle: 'long' } as const);
  return `on ${new Intl.DateTimeFormat('en-GB', how).format(date)}`;
}

function midnight(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0);
}
