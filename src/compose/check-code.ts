import { localCaller } from '../contract/caller/index.ts';
import { lazy } from '../kernel/index.ts';
import type { HideSecrets } from '../contract/secret/index.ts';
import type { McpServer } from '../contract/server/index.ts';
import { errorMetaKey } from '../contract/tool/index.ts';
import type { CheckFinding, CodeFile, ScanCode } from '../toolbox/exec/index.ts';
import { NotScannedError } from './errors.ts';

interface CodeScanner {
  readonly scan: ScanCode;
  readonly close: () => Promise<void>;
}

/**
 * Scans with the security rules of the code tools, in threads of its own: so it does not depend on
 * which servers and tools are offered, and code that is slow to scan blocks no other call. The threads and
 * their engines are started for code that needs them.
 */
export function createCodeScanner(version: string): CodeScanner {
  const open = lazy(() => openCodeServer(version));
  return {
    scan: async (file, signal) => {
      const { isPlainlyHarmless } = await import('../toolbox/exec/index.ts');
      return (await isPlainlyHarmless(file)) ? [] : scanWith(await open(), file, signal);
    },
    close: async () => (await open.opened())?.close(),
  };
}

async function openCodeServer(version: string): Promise<McpServer> {
  const { createThreadedCodeServer } = await import('../toolbox/code/index.ts');
  return createThreadedCodeServer({
    version,
    roots: [],
    standardsDirectory: undefined,
    settings: {
      exclude: [],
      lineLength: 100,
      maxIssues: 100,
      severityLevels: ['critical', 'major', 'minor', 'info'],
      osvUrl: '',
      osvDirectory: undefined,
    },
  });
}

async function scanWith(
  server: McpServer,
  { path, text, language }: CodeFile,
  signal: AbortSignal,
): Promise<readonly CheckFinding[]> {
  const context = { caller: localCaller, signal, progress: () => {}, meta: {} };
  // A program that is not trusted must not decide what is seen of it.
  const args = { code: text, language, show_silenced: true };
  const result = await server.callTool('scan_security', args, context);
  if (result.isError === true) {
    const { message }: { message?: unknown } = Object(result._meta?.[errorMetaKey]);
    throw new NotScannedError(typeof message === 'string' ? message : 'The scan failed');
  }
  // Our own tool, whose output schema says so.
  const { findings } = result.structuredContent as unknown as { findings: CheckFinding[] };
  const { harmlessRules } = await import('../toolbox/exec/index.ts');
  const harmful = findings.filter(({ rule }) => !harmlessRules.has(rule));
  return harmful.map(({ severity, rule, message, line, column }) => ({
    severity,
    rule,
    message,
    file: path,
    line,
    column,
  }));
}

/** Hides what `scan_secrets` finds; loaded when it is first used. */
export async function hideSecrets(): Promise<HideSecrets> {
  const code = await import('../toolbox/code/index.ts');
  return code.hideSecrets;
}
