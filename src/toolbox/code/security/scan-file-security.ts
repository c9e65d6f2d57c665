import type { CodeContext } from '../code-context.ts';
import type { Language } from '../language.ts';
import { silenceFindings } from '../select/silence-findings.ts';
import type { SourceFile } from '../source-files.ts';
import { findSecrets } from '../secrets/find-secrets.ts';
import { findMalicious } from './find-malicious.ts';
import type { TextPosition, SecurityFinding } from './security-rules.ts';

/** The findings of one file, and the first position that did not parse. */
export interface FileScan {
  readonly findings: readonly SecurityFinding[];
  readonly unparsed?: TextPosition | undefined;
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

type Scan = (file: SourceFile, context: CodeContext) => FileScan | Promise<FileScan>;

/** The scanners of languages that are not scanned by tree-sitter queries alone. */
const loadScan: Readonly<Partial<Record<Language, () => Promise<Scan>>>> = {
  python: async () => (await import('./scan-python.ts')).scanPython,
  sql: async () => (await import('./scan-text.ts')).scanSql,
  html: async () => (await import('./scan-html.ts')).scanHtml,
  css: async () => (await import('./scan-text.ts')).scanCss,
};

async function scanLanguage(file: SourceFile, context: CodeContext): Promise<FileScan> {
  const { scanTree } = await import('./scan-tree.ts');
  const scan = (await loadScan[file.language]?.()) ?? scanTree;
  return scan(file, context);
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
