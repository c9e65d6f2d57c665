import type { Finding, FocusArea } from '../finding.ts';

interface Silencing<Found> {
  readonly kept: readonly Found[];
  /** What a comment beside it silences. */
  readonly silenced: readonly Found[];
}

type Silenceable = Pick<Finding, 'rule' | 'line'> & { readonly area?: FocusArea };

/**
 * Applies the comments by which people silence one finding: `tutti-ignore: RULE reason` on the line or alone
 * on the line above, and those of the usual linters (`noqa`, `nosec`, `nolint`, `eslint-disable-line`,
 * `eslint-disable-next-line`, for secrets `gitleaks:allow` and `pragma: allowlist secret`). Malicious code and
 * syntax errors cannot be silenced. With `only: 'secrets'` a comment for a linter silences nothing.
 */
export function silenceFindings<Found extends Silenceable>(
  text: string,
  findings: readonly Found[],
  only?: 'secrets',
): Silencing<Found> {
  if (findings.length === 0 || !anyMark.test(text)) return { kept: findings, silenced: [] };
  const wanted = only ? directives.filter((one) => one.isAboutSecrets === true) : directives;
  const byLine = readDirectives(text.split('\n'), wanted);
  const isSilenced = (finding: Found): boolean =>
    !alwaysShown.test(finding.rule) &&
    (byLine.get(finding.line) ?? []).some((silences) => silences(finding));
  return {
    kept: findings.filter((finding) => !isSilenced(finding)),
    silenced: findings.filter(isSilenced),
  };
}

const alwaysShown = /^malicious\/|\/syntax-error$/;
const anyMark = /tutti-ignore|noqa|nosec|nolint|eslint-disable-|gitleaks:allow|allowlist secret/i;

type Silences = (finding: Silenceable) => boolean;

interface Directive {
  /** Its first group is what stands before the comment, its second the rules it names, if any. */
  readonly pattern: RegExp;
  /** Where it applies: on its own line, on the next, or on the next when nothing else is on its line. */
  readonly line: 'same' | 'next' | 'either';
  readonly silences: (names: readonly string[]) => Silences;
  /** Also holds where only comments that speak of secrets count. */
  readonly isAboutSecrets?: true;
}

const comment = String.raw`^(.*?)(?:#|\/\/|\/\*|--|<!--|;|\*)\s*`;

const directives: readonly Directive[] = [
  {
    pattern: new RegExp(String.raw`${comment}tutti-ignore:\s*([\w./-]+(?:\s*,\s*[\w./-]+)*)`),
    line: 'either',
    isAboutSecrets: true,
    silences: (names) => (finding) => names.length > 0 && isNamed(finding, names),
  },
  {
    pattern: new RegExp(String.raw`${comment}noqa\b(?::\s*([A-Z]+\d+(?:[\s,]+[A-Z]+\d+)*))?`, 'i'),
    line: 'same',
    silences: (names) => (finding) => names.length === 0 || isNamed(finding, names),
  },
  {
    pattern: new RegExp(String.raw`${comment}#?nosec\b()`, 'i'),
    line: 'same',
    silences: () => isSecurity,
  },
  {
    pattern: new RegExp(String.raw`${comment}nolint\b(?::\s*([\w-]+(?:\s*,\s*[\w-]+)*))?`),
    line: 'either',
    silences: (names) => (finding) =>
      names.length === 0 ||
      isNamed(finding, names) ||
      (names.includes('gosec') && isSecurity(finding)),
  },
  {
    pattern: new RegExp(String.raw`${comment}eslint-disable-next-line\b([^*]*?)(?:--|\*\/|$)`),
    line: 'next',
    silences: (names) => (finding) => names.length === 0 || isNamed(finding, names),
  },
  {
    pattern: new RegExp(String.raw`${comment}eslint-disable-line\b([^*]*?)(?:--|\*\/|$)`),
    line: 'same',
    silences: (names) => (finding) => names.length === 0 || isNamed(finding, names),
  },
  {
    pattern: new RegExp(String.raw`${comment}(?:gitleaks:allow|pragma: allowlist secret)()`, 'i'),
    line: 'same',
    isAboutSecrets: true,
    silences: () => isSecret,
  },
];

function readDirectives(
  lines: readonly string[],
  wanted: readonly Directive[],
): ReadonlyMap<number, readonly Silences[]> {
  const byLine = new Map<number, Silences[]>();
  for (const [index, line] of lines.entries()) {
    if (line.length > maxLineLength || !anyMark.test(line)) continue;
    for (const { pattern, line: where, silences } of wanted) {
      const match = pattern.exec(line);
      if (!match) continue;
      const isAlone = (match[1] ?? '').trim() === '';
      const isNext = where === 'next' || (where === 'either' && isAlone);
      const at = index + (isNext ? 2 : 1);
      byLine.set(at, [...(byLine.get(at) ?? []), silences(namesIn(match[2]))]);
    }
  }
  return byLine;
}

/** Longer lines are minified, and matching them takes too long. */
const maxLineLength = 2_000;

function namesIn(list: string | undefined): readonly string[] {
  return (list ?? '').split(/[\s,]+/).filter(Boolean);
}

/** `S602` and `python/S602` both name the rule `python/S602`. */
function isNamed({ rule }: Silenceable, names: readonly string[]): boolean {
  return names.some((name) => rule === name || rule.endsWith(`/${name}`));
}

/** Findings of the security scan have no area: they are all about security. */
function isSecurity({ area }: Silenceable): boolean {
  return area === undefined || area === 'security';
}

function isSecret({ rule }: Silenceable): boolean {
  return rule.startsWith('secrets/');
}
