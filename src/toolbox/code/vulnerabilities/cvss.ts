import { lookupTable } from '../../../kernel/index.ts';
/** Metrics of a CVSS vector by their abbreviation: `AV` → `N`. */
type Metrics = ReadonlyMap<string, string>;

const attackVector: Readonly<Record<string, number>> = lookupTable({
  N: 0.85,
  A: 0.62,
  L: 0.55,
  P: 0.2,
});
const attackComplexity: Readonly<Record<string, number>> = lookupTable({ L: 0.77, H: 0.44 });
const userInteraction: Readonly<Record<string, number>> = lookupTable({ N: 0.85, R: 0.62 });
const impactWeight: Readonly<Record<string, number>> = lookupTable({ H: 0.56, L: 0.22, N: 0 });
const privileges: Readonly<Record<string, Readonly<Record<string, number>>>> = lookupTable({
  U: { N: 0.85, L: 0.62, H: 0.27 },
  C: { N: 0.85, L: 0.68, H: 0.5 },
});

/** Base score of a CVSS 3.0 or 3.1 vector; `undefined` when a base metric is missing or unknown. */
export function scoreCvss3(vector: string): number | undefined {
  const metrics = readVector(vector, /^CVSS:3\.[01]$/);
  return metrics && scoreMetrics(metrics);
}

/**
 * Rough base score of a CVSS 4.0 vector: its metrics are translated to those of 3.1 and scored there.
 * The official 4.0 score comes from an expert-ranked table and may differ by a point or two, so this
 * serves to choose a severity, never to print a number.
 */
export function approximateCvss4(vector: string): number | undefined {
  const metrics = readVector(vector, /^CVSS:4\.0$/);
  if (!metrics) return undefined;
  const is = (metric: string, ...values: string[]): boolean =>
    values.includes(metrics.get(metric) ?? '');
  const isHard = is('AC', 'H') || is('AT', 'P');
  const spreads = is('SC', 'H', 'L') || is('SI', 'H', 'L') || is('SA', 'H', 'L');
  return scoreMetrics(
    new Map([
      ['AV', metrics.get('AV') ?? ''],
      ['AC', isHard ? 'H' : 'L'],
      ['PR', metrics.get('PR') ?? ''],
      ['UI', is('UI', 'N') ? 'N' : 'R'],
      ['S', spreads ? 'C' : 'U'],
      ['C', worse(metrics.get('VC'), metrics.get('SC'))],
      ['I', worse(metrics.get('VI'), metrics.get('SI'))],
      ['A', worse(metrics.get('VA'), metrics.get('SA'))],
    ]),
  );
}

function worse(a: string | undefined, b: string | undefined): string {
  if (a === undefined || b === undefined) return '';
  return ['H', 'L', 'N'].find((value) => a === value || b === value) ?? '';
}

const maxVectorLength = 400;

function readVector(vector: string, prefix: RegExp): Metrics | undefined {
  if (vector.length > maxVectorLength) return undefined;
  const [head = '', ...parts] = vector.trim().split('/');
  if (!prefix.test(head)) return undefined;
  return new Map(
    parts.map((part) => {
      const [name = '', value = ''] = part.split(':');
      return [name, value];
    }),
  );
}

/** The formulas of CVSS 3.1, section 7.1. */
function scoreMetrics(metrics: Metrics): number | undefined {
  const scope = metrics.get('S') ?? '';
  const factors = [
    attackVector[metrics.get('AV') ?? ''],
    attackComplexity[metrics.get('AC') ?? ''],
    privileges[scope]?.[metrics.get('PR') ?? ''],
    userInteraction[metrics.get('UI') ?? ''],
  ];
  const impacts = ['C', 'I', 'A'].map((name) => impactWeight[metrics.get(name) ?? '']);
  let exploitability = 8.22;
  for (const factor of factors) {
    if (factor === undefined) return undefined;
    exploitability *= factor;
  }
  let remaining = 1;
  for (const impact of impacts) {
    if (impact === undefined) return undefined;
    remaining *= 1 - impact;
  }
  const base = 1 - remaining;
  const isChanged = scope === 'C';
  const impact = isChanged ? 7.52 * (base - 0.029) - 3.25 * (base - 0.02) ** 15 : 6.42 * base;
  if (impact <= 0) return 0;
  return roundUp(Math.min((isChanged ? 1.08 : 1) * (impact + exploitability), 10));
}

/** Up to one decimal, in integers: the specification's own way around binary fractions. */
function roundUp(value: number): number {
  const scaled = Math.round(value * 100_000);
  return scaled % 10_000 === 0 ? scaled / 100_000 : (Math.floor(scaled / 10_000) + 1) / 10;
}
