import { formatColumns } from '../../../output.ts';
import { slashCommands, type RunSlash } from './slash-commands.ts';

export const help: RunSlash = async ({ invocation }) => {
  const rows = slashCommands.map(({ name, operands, summary }) => [
    `  /${name} ${operands}`.trimEnd(),
    summary,
  ]);
  invocation.output.result(undefined, () => `${formatColumns(rows)}\n${writing}`);
  return 0;
};

const writing = `
Everything else is a message. @path gives a file along, Tab completes commands, tools and @paths.
A line that ends in \\ goes on in the next one, and so do lines between \`\`\`; pasted text is one message.
Ctrl-C cancels what runs, or drops what was typed; twice at an empty prompt, or Ctrl-D, leaves.
A message that begins with a blank is not kept in the history of typed lines.`;
