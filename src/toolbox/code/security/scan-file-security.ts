import type { CodeContext } from '../code-context.ts';
import type { SourceFile } from '../source-files.ts';
import { findSecrets } from '../secrets/find-secrets.ts';
import { matchMaliciousRules } from './malicious/match-malicious-rules.ts';
import type { Place, SecurityFinding } from './security-rule.ts';

/** What was found in one file, and the first place that did not parse. */
export interface FileScan {
  readonly findings: readonly SecurityFinding[];
  readonly unparsed?: Place | undefined;
  /** What else limits the scan, to be shown after the file's name. */
  readonly note?: string | undefined;
}

/** The weaknesses of one file, unordered. Text that does not parse is scanned as far as it does. */
export async function scanFileSecurity(
  file: SourceFile,
  context: CodeContext,
): Promise<readonly SecurityFinding[]> {
  return (await inspectFile(file, context)).findings;
}

export async function inspectFile(file: SourceFile, context: CodeContext): Promise<FileScan> {
  const scan = await scanLanguage(file, context);
  return {
    ...scan,
    findings: [...scan.findings, ...matchMaliciousRules(file), ...findKnownSecrets(file)],
  };
}

async function scanLanguage(file: SourceFile, context: CodeContext): Promise<FileScan> {
  switch (file.language) {
    case 'python':
      return (await import('./python/scan-python.ts')).scanPython(file, context);
    case 'javascript':
    case 'typescript':
      return (await import('./javascript/scan-javascript.ts')).scanJavascript(file, context);
    case 'java':
      return (await import('./java/scan-java.ts')).scanJava(file, context);
    case 'go':
      return (await import('./go/scan-go.ts')).scanGo(file, context);
    case 'rust':
      return (await import('./rust/scan-rust.ts')).scanRust(file, context);
    case 'sql':
      return (await import('./sql/scan-sql.ts')).scanSql(file);
    case 'html':
      return (await import('./html/scan-html.ts')).scanHtml(file, context);
    case 'css':
      return (await import('./css/scan-css.ts')).scanCss(file);
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
