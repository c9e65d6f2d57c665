import type { ToolChange } from '../../../contract/fleet/index.ts';
import { withSystem, type Invocation } from '../../invocation.ts';
import { singleLine } from '../../printable.ts';

/** `servers accept NAME`: what its server made of its tools counts from now on. */
export async function acceptTools(invocation: Invocation, name: string): Promise<number> {
  const { output } = invocation;
  return withSystem(invocation, {}, async ({ fleet }) => {
    const accepted = await fleet.acceptTools(name);
    output.result({ name, accepted }, () =>
      accepted.length === 0
        ? `No tool of "${name}" has changed.`
        : accepted.map((change) => `accepted: ${describeChange(change)}`).join('\n'),
    );
    if (accepted.length > 0) {
      output.note(`Running instances take it over after: tutti servers restart ${name}`);
    }
    return 0;
  });
}

/** What a tool has of its own that is another now. */
export function describeChange({ tool, fields, isLessCareful }: ToolChange): string {
  const meaning = isLessCareful ? ', asks for less care' : '';
  return `${singleLine(tool)} (${fields.join(', ')}${meaning})`;
}
