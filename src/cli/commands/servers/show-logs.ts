import { withSystem, type Invocation } from '../../invocation.ts';
import { limitOption } from '../../limit-option.ts';

const usualLines = 100;

export async function showLogs(invocation: Invocation, name: string): Promise<number> {
  const { output } = invocation;
  const limit = limitOption(invocation, usualLines);
  return withSystem(invocation, {}, async ({ fleet }) => {
    const lines = await fleet.logs(name, limit);
    if (lines.length === 0) output.note(`"${name}" wrote nothing to standard error`);
    output.result({ name, lines }, () => lines.join('\n'));
    return 0;
  });
}
