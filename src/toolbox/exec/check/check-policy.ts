import { z } from 'zod';

/** One text that is going to run, or to be read by what runs. */
export interface CodeFile {
  readonly path: string;
  readonly text: string;
  /** A language the scanner knows (`python`, `javascript` …). */
  readonly language: string;
}

/** How bad a finding is, worst first. */
export const severities = ['critical', 'major', 'minor', 'info'] as const;

export type Severity = (typeof severities)[number];

/** A dangerous operation or a malicious pattern. Lines and columns start at 1. */
export const checkFindingSchema = z.object({
  severity: z.enum(severities),
  rule: z.string().describe('Stable: `python/S602`, `malicious/reverse-shell`.'),
  message: z.string(),
  file: z.string(),
  line: z.int(),
  column: z.int(),
});
export type CheckFinding = Readonly<z.output<typeof checkFindingSchema>>;

/** Looks for what code could do, without running it. Throws when it cannot tell. */
export type ScanCode = (file: CodeFile, signal: AbortSignal) => Promise<readonly CheckFinding[]>;

/** What to do about code with a finding, mildest first. */
export const verdicts = ['allow', 'warn', 'ask', 'refuse'] as const;

export type Verdict = (typeof verdicts)[number];

/** A verdict for each severity, and for what is made to do harm. */
export interface CheckPolicy extends Readonly<Record<Severity, Verdict>> {
  readonly malicious: Verdict;
}

/**
 * Patterns of programs that have no honest use. Others of the scanner's malicious rules, such as a
 * fork bomb or the deletion of all files, harm just the machine they run on, and that is the
 * sandbox: they count by their severity.
 */
const harmfulRules: ReadonlySet<string> = new Set([
  'malicious/reverse-shell',
  'malicious/shell-line-backdoor',
  'malicious/bind-shell',
  'malicious/crypto-miner',
  'malicious/browser-theft',
  'malicious/wallet-theft',
  'malicious/chat-exfiltration',
  'malicious/keylogger',
  'malicious/ransomware',
  'malicious/powershell-hidden',
]);

/** What the policy says to a single finding. */
export function verdictOn(finding: CheckFinding, policy: CheckPolicy): Verdict {
  const bySeverity = policy[finding.severity];
  return harmfulRules.has(finding.rule) ? stricter(policy.malicious, bySeverity) : bySeverity;
}

/** The setting that decides about a finding. */
export function settingFor(finding: CheckFinding, policy: CheckPolicy): string {
  const isHarmful = harmfulRules.has(finding.rule);
  const decides = isHarmful && verdictOn(finding, policy) === policy.malicious;
  return `sandbox.check.${decides ? 'malicious' : finding.severity}`;
}

/** The strictest of the verdicts on the findings; `allow` where there are none. */
export function verdictOf(findings: readonly CheckFinding[], policy: CheckPolicy): Verdict {
  return findings
    .map((finding) => verdictOn(finding, policy))
    .reduce<Verdict>((strictest, verdict) => stricter(strictest, verdict), 'allow');
}

function stricter(one: Verdict, other: Verdict): Verdict {
  return verdicts.indexOf(one) >= verdicts.indexOf(other) ? one : other;
}
