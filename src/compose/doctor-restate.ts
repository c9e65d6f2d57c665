import type { Settings } from '../config/index.ts';
import type { Finding } from './doctor.ts';

/** Who looks waits: less patience than a run has. */
const requestMs = 3_000;

/** Only looked at where runs go there by themselves: others need none. */
export async function checkRestate({ engine, restate }: Settings['workflow']): Promise<Finding> {
  if (engine !== 'restate') {
    return { status: 'absent', message: 'not used: "workflow.engine" is "embedded"' };
  }
  const { examineRestate } = await import('../workflow/restate/index.ts');
  const { isHealthy, message, fix } = await examineRestate({
    ingressUrl: restate.ingress_url,
    adminUrl: restate.admin_url,
    requestMs,
  });
  return {
    status: isHealthy ? 'ok' : 'failed',
    message,
    ...(fix !== undefined && { fix }),
  };
}
