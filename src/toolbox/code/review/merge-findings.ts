import { compareFindings, type Finding } from '../finding.ts';

/** Rules of different engines that report one cause; the part after the language. */
const causes: readonly { readonly cause: string; readonly rules: RegExp }[] = [
  {
    cause: 'secret',
    rules: /^secrets\/|\/S10[567]$|\/(?:hard-?coded|literal)-(?:secret|password|credential|key)/,
  },
  { cause: 'broad-except', rules: /^python\/(?:E722|BLE001|S110|S112|SIM105)$/ },
  { cause: 'assert', rules: /^python\/(?:S101|B011|PT015)$/ },
  { cause: 'useless-return', rules: /^python\/(?:PLR1711|RET501)$/ },
  { cause: 'shell', rules: /^python\/(?:S60[2-7]|PLW1510)$/ },
  { cause: 'unsafe', rules: /^rust\/(?:unsafe|unsafe-block|unsafe-without-comment)$/ },
  { cause: 'transmute', rules: /^rust\/(?:mem-)?transmute$/ },
  { cause: 'mutable-static', rules: /^rust\/(?:mutable-static|static-mut)$/ },
  { cause: 'delete-all', rules: /^sql\/delete-(?:without-where|all)$/ },
  { cause: 'update-all', rules: /^sql\/update-(?:without-where|all)$/ },
];

function causeOf(rule: string): string {
  return causes.find(({ rules }) => rules.test(rule))?.cause ?? rule;
}

/** Whether a finding says that a secret stands in the text. */
export function isAboutSecret({ rule }: Pick<Finding, 'rule'>): boolean {
  return causeOf(rule) === 'secret';
}

/**
 * Findings in order, worst first, each cause once per line: the worst report of it stays. So taking
 * any finding away never makes another one worse.
 */
export function mergeFindings<Found extends Finding>(findings: readonly Found[]): Found[] {
  const kept = new Map<string, Found>();
  for (const finding of [...findings].sort(compareFindings)) {
    const cause = causeOf(finding.rule);
    // Findings of one rule on one line are one only when they are at one column.
    const column = cause === finding.rule ? finding.column : '';
    const key = [finding.file, finding.line, column, cause].join('\0');
    if (!kept.has(key)) kept.set(key, finding);
  }
  return [...kept.values()];
}
