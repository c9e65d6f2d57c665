import type { CodeContext } from '../code-context.ts';
import { silenceFindings } from '../select/silence-findings.ts';
import type { SourceFile } from '../source-files.ts';
import { findSecrets } from '../secrets/find-secrets.ts';
import { findMalicious } from './malicious/find-malicious.ts';
import type { Place, SecurityFinding } from './security-rule.ts';

/** What was found in one file, and the first place that did not parse. */
export interface FileScan {
  readonly findings: readonly SecurityFinding[];
  readonly unparsed?: Place | undefined;
  /** What else limits the scan, to be shown after the file's name. */
  readonly note?: string | undefined;
  /** What comments in the text silence. */
  readonly silenced?: readonly SecurityFinding[];
}

/** The weaknesses of one file, unordered. Text that does not parse is scanned as far as it does. */
export async function scanFileSecurity(
  file: SourceFile,
  context: CodeContext,
): Promise<readonly SecurityFinding[]> {
  return (await inspectFile(file, context)).findings;
}

export interface InspectOptions {
  /** Also report what comments in the text silence. */
  readonly showSilenced?: boolean;
}

export async function inspectFile(
  file: SourceFile,
  context: CodeContext,
  { showSilenced = false }: InspectOptions = {},
): Promise<FileScan> {
  const scan = await scanLanguage(file, context);
  const malicious = await findMalicious(file, context);
  const found = [...scan.findings, ...malicious, ...findKnownSecrets(file)];
  if (showSilenced) return { ...scan, findings: found, silenced: [] };
  const { kept, silenced } = silenceFindings(file.text, found);
  return { ...scan, findings: kept, silenced };
}

async function scanLanguage(file: SourceFile, context: CodeContext): Promise<FileScan> {
  switch (file.language) {
    case 'python':
      return (await import('./scan-python.ts')).scanPython(file, context);
    case 'javascript':
    case 'typescript':
    case 'java':
    case 'go':
    case 'rust':
      return (await import('./match/scan-tree.ts')).scanTree(file, context);
    case 'sql':
      return (await import('./scan-text.ts')).scanSql(file);
    case 'html':
      return (await import('./scan-html.ts')).scanHtml(file, context);
    case 'css':
      return (await import('./scan-text.ts')).scanCss(file);
  }
}

/** Keys whose form is certain; what only a name gives away is for the language's own rules. */
function findKnownSecrets(file: SourceFile): SecurityFinding[] {
  return findSecrets(file.text)
    .filter((secret) => secret.rule !== 'generic-secret')
    .map((secret) => ({
      severity: secret.severity,
      rule: `secrets/${secret.rule}`,
      message: `${secret.title} in the source (${secret.preview}, fingerprint ${secret.fingerprint}).`,
      file: file.path,
      line: secret.line,
      column: secret.column,
      fix: 'Revoke it, then read the new one from the environment or a secret store.',
      cwe: 'CWE-798',
      confidence: 'high',
      engine: 'tutti',
    }));
}
