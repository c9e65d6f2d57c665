import { counted } from '../kernel/index.ts';
import type { Invocation } from './invocation.ts';
import type { System } from './system.ts';

/** Text of a tool or run for a terminal: secrets are hidden. Programs, in a pipe or with `--json`, get it as it is. */
export async function hideOnScreen(
  text: string,
  { io, output }: Pick<Invocation, 'io' | 'output'>,
  { hideSecrets }: Pick<System, 'hideSecrets'>,
): Promise<string> {
  if (output.isJson || io.stdout.isTTY !== true) return text;
  const hide = await hideSecrets();
  const hidden = hide(text);
  if (hidden.count > 0) {
    const are = hidden.count === 1 ? 'is' : 'are';
    output.note(`${counted(hidden.count, 'secret')} ${are} hidden; --json prints all of it`);
  }
  return hidden.text;
}
