import { compareDigits, compareStrings, maxVersionLength } from './compare-digits.ts';
import { lookupTable } from '../../../../kernel/index.ts';

/** A version as PEP 440 sorts it: every part is ready to be compared left to right. */
interface Pep440 {
  readonly epoch: string;
  readonly release: readonly string[];
  /** Rank of the phase, then its number. */
  readonly pre: readonly [number, string];
  readonly post: readonly [number, string];
  readonly dev: readonly [number, string];
  readonly local: readonly string[];
}

/** Orders two Python versions by PEP 440; `undefined` when either does not follow it. */
export function comparePep440(a: string, b: string): number | undefined {
  const left = parse(a);
  const right = parse(b);
  if (!left || !right) return undefined;
  return (
    compareDigits(left.epoch, right.epoch) ||
    compareRelease(left.release, right.release) ||
    comparePart(left.pre, right.pre) ||
    comparePart(left.post, right.post) ||
    comparePart(left.dev, right.dev) ||
    compareLocal(left.local, right.local)
  );
}

const pattern =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(alpha|beta|preview|pre|rc|a|b|c)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?$/;

const lowest = -1;
const highest = 9;
const phases: Readonly<Record<string, number>> = lookupTable({
  a: 0,
  alpha: 0,
  b: 1,
  beta: 1,
  c: 2,
  rc: 2,
  pre: 2,
  preview: 2,
});

function parse(text: string): Pep440 | undefined {
  if (text.length > maxVersionLength) return undefined;
  const match = pattern.exec(text.trim().toLowerCase());
  if (!match) return undefined;
  const [, epoch, release, phase, phaseNumber, bare, postWord, postNumber, devWord, devNumber] =
    match;
  const isPost = bare !== undefined || postWord !== undefined;
  return {
    epoch: epoch ?? '0',
    release: (release ?? '0').split('.'),
    pre: prePart(phase, phaseNumber, devWord !== undefined && !isPost),
    post: isPost ? [0, bare ?? postNumber ?? '0'] : [lowest, '0'],
    dev: devWord === undefined ? [highest, '0'] : [0, devNumber ?? '0'],
    local: match[10]?.split(/[-_.]/) ?? [],
  };
}

/** `1.0.dev1` sorts before `1.0a1`, a final release after all its pre-releases. */
function prePart(
  phase: string | undefined,
  number: string | undefined,
  isBareDev: boolean,
): readonly [number, string] {
  if (phase !== undefined) return [phases[phase] ?? highest, number ?? '0'];
  return [isBareDev ? lowest : highest, '0'];
}

function compareRelease(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const order = compareDigits(a[index] ?? '0', b[index] ?? '0');
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(a: readonly [number, string], b: readonly [number, string]): number {
  return a[0] - b[0] || compareDigits(a[1], b[1]);
}

/** Numbers sort above words, and more segments above fewer when the rest is equal. */
function compareLocal(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const [left, right] = [a[index] ?? '', b[index] ?? ''];
    const isNumberA = /^\d+$/.test(left);
    const isNumberB = /^\d+$/.test(right);
    if (isNumberA !== isNumberB) return isNumberA ? 1 : -1;
    const order = isNumberA ? compareDigits(left, right) : compareStrings(left, right);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
