import { withSystem, type Invocation } from '../invocation.ts';
import type { Paint } from '../output.ts';
import type { Check } from '../system.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { output } = invocation;
  return withSystem(invocation, {}, async (system) => {
    const checks = await system.doctor();
    output.result(checks, () => checks.map((check) => showCheck(check, output.paint)).join('\n'));
    return checks.some(({ status }) => status === 'failed') ? 1 : 0;
  });
}

function showCheck({ name, status, message, fix }: Check, paint: Paint): string {
  const painted = { ok: paint.green, warning: paint.yellow, failed: paint.red }[status](
    status.padEnd('warning'.length),
  );
  const line = `${painted}  ${name}: ${message}`;
  return fix === undefined ? line : `${line}\n         ${fix}`;
}
