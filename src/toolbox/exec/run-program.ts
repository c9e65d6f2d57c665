import type {
  SandboxLimits,
  SandboxProgram,
  SandboxResult,
  SandboxRun,
} from '../../contract/sandbox/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { cleanOutput, isBinary } from './clean-output.ts';
import { checkCode, type CheckRequest, type CodeCheck } from './check/check-code.ts';
import {
  type CheckFinding,
  type CheckPolicy,
  settingFor,
  verdictOn,
} from './check/check-policy.ts';
import { describeOutcome, describePlan } from './summarize-run.ts';
import { collectRequest, type ExecContext, type RunResult, showFiles } from './run-schema.ts';
import { LiveOutput } from './live-output.ts';
import { AppError, escapeLine } from '../../kernel/index.ts';
import { ApprovalNeededError, NotApprovedError, RefusedByCheckError } from './errors.ts';

/** A program that is to be checked and run. */
export interface ProgramRun {
  readonly toolchain: string;
  readonly program: SandboxProgram;
  readonly files: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly limits: SandboxLimits;
  readonly collect: readonly string[] | undefined;
}

/**
 * Checks code by the policy. Returns when it may run, with what the policy does not pass over in
 * silence; throws `exec.…` when it may not.
 */
export async function checkBeforeRun(
  request: CheckRequest,
  { scanCode, policy }: ExecContext,
  context: CallContext,
): Promise<CodeCheck> {
  const check = await checkCode(request, { scanCode, policy, signal: context.signal });
  context.annotate?.({
    'tutti.check.verdict': check.verdict,
    'tutti.check.findings': check.findingsTotal,
    'tutti.check.rules': [...new Set(check.findings.map(({ rule }) => rule))],
  });
  await approveRun(check, policy, context);
  const findings = check.findings.filter((finding) => verdictOn(finding, policy) !== 'allow');
  return { ...check, findings };
}

/**
 * Opens the sandbox and looks up the toolchain while the code is still being checked. A failure is ignored here: the
 * run itself meets it again.
 */
export function openAhead({ sandbox }: Pick<ExecContext, 'sandbox'>, toolchain?: string): void {
  const opening = sandbox().then((opened) =>
    toolchain === undefined ? undefined : opened.toolchain(toolchain),
  );
  opening.catch(() => {});
}

/** Runs a program that was checked. How it ends is a result, whatever it is. */
export async function runProgram(
  run: ProgramRun,
  check: CodeCheck,
  exec: { readonly context: CallContext; readonly sandbox: ExecContext['sandbox'] },
): Promise<RunResult> {
  const { context } = exec;
  context.annotate?.(describePlan(run));
  const sandbox = await exec.sandbox();
  const live = new LiveOutput(context.progress);
  const wanted: SandboxRun = { ...run, mounts: [], collect: collectRequest(run.collect) };
  const result = await sandbox
    .run(wanted, { signal: context.signal, onOutput: live.push })
    .finally(() => live.end());
  context.annotate?.(describeOutcome(result, sandbox.pool()));
  // A cancelled call has no result; the program is dead.
  context.signal.throwIfAborted();
  return resultOf(run, check, result);
}

function resultOf(run: ProgramRun, check: CodeCheck, result: SandboxResult): RunResult {
  const { status, exitCode, signal, reason, truncated, usage, driver, wasWarm } = result;
  const wantsAll = run.collect !== undefined && collectRequest(run.collect)?.paths.length === 0;
  return {
    status,
    exitCode,
    signal,
    reason,
    stdout: cleanOutput(result.stdout),
    stderr: cleanOutput(result.stderr),
    truncated,
    usage: {
      wallMs: tenths(usage.wallMs),
      cpuMs: tenths(usage.cpuMs),
      peakMemoryBytes: usage.peakMemoryBytes,
    },
    ...(run.collect && { files: showFiles(result.files, run.files, wantsAll) }),
    verdict: check.verdict,
    findings: check.findings,
    driver,
    warm: wasWarm,
    observations: [
      ...result.observations.map(({ kind, message }) => ({ kind, message: cleanLine(message) })),
      ...noteBinary('stdout', result.stdout),
      ...noteBinary('stderr', result.stderr),
    ],
  };
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function noteBinary(name: string, bytes: Uint8Array): RunResult['observations'] {
  if (!isBinary(bytes)) return [];
  const message = `${name} is not text: ${bytes.length} bytes were made readable. Write them to a file and collect it`;
  return [{ kind: 'binary_output', message }];
}

/** Observations name files, and programs choose the names. */
function cleanLine(message: string): string {
  return message.replaceAll(/\p{Cc}/gu, '\ufffd');
}

/** Returns when the code may run. Throws what keeps it from running, `exec.…`. */
export async function approveRun(
  check: CodeCheck,
  policy: CheckPolicy,
  context: CallContext,
): Promise<void> {
  switch (check.verdict) {
    case 'allow':
    case 'warn':
      return;
    case 'ask':
      return askClient(reasonsFor(check, policy), context);
    case 'refuse': {
      const findings = reasonsFor(check, policy);
      const settings = new Set(findings.map((finding) => settingFor(finding, policy)));
      throw new RefusedByCheckError(findings, [...settings]);
    }
  }
}

/** The findings that led to the verdict. */
function reasonsFor({ verdict, findings }: CodeCheck, policy: CheckPolicy): CheckFinding[] {
  return findings.filter((finding) => verdictOn(finding, policy) === verdict);
}

const maxAsked = 20;

async function askClient(
  findings: readonly CheckFinding[],
  { client, signal }: CallContext,
): Promise<void> {
  if (client?.capabilities['elicitation'] === undefined) {
    throw new ApprovalNeededError(findings, 'this client cannot be asked');
  }
  const list = findings
    .slice(0, maxAsked)
    .map(({ file, line, rule, message }) => escapeLine(`- ${file}:${line} ${rule}: ${message}`));
  const params = {
    message: `This code is to run in a sandbox, without network. The check found:\n${list.join('\n')}`,
    requestedSchema: {
      type: 'object',
      properties: { approve: { type: 'boolean', title: 'Run it', default: false } },
      required: ['approve'],
    },
  };
  const answer = await client
    .ask({ method: 'elicitation/create', params }, signal)
    .catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof AppError)
        throw new ApprovalNeededError(findings, 'the client did not answer');
      throw error;
    });
  const { approve }: { approve?: unknown } = Object(answer['content']);
  if (answer['action'] !== 'accept' || approve !== true) throw new NotApprovedError(findings);
}
