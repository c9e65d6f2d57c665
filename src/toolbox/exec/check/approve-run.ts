import type { CallContext } from '../../../contract/server/index.ts';
import { AppError } from '../../../kernel/index.ts';
import { ApprovalNeededError, NotApprovedError, RefusedByCheckError } from '../errors.ts';
import type { CodeCheck } from './check-code.ts';
import { settingFor, verdictOn, type CheckPolicy } from './check-policy.ts';
import type { CheckFinding } from './scan-code.ts';

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
    .map(({ file, line, rule, message }) => `- ${file}:${line} ${rule}: ${message}`);
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
      if (error instanceof AppError) throw new ApprovalNeededError(findings, 'nobody answered');
      throw error;
    });
  const { approve }: { approve?: unknown } = Object(answer['content']);
  if (answer['action'] !== 'accept' || approve !== true) throw new NotApprovedError(findings);
}
