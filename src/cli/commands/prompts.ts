import type { Prompt, PromptArgument } from '../../contract/prompt/index.ts';
import { createCallContext } from '../call-context.ts';
import { contentText } from '../content-text.ts';
import { UnknownNameError, UsageError } from '../errors.ts';
import { withSystem, type Invocation } from '../invocation.ts';
import { firstSentence, formatColumns } from '../output.ts';
import { parsePairs, type Pair } from '../parse-pairs.ts';

const maxDescription = 90;

export async function run(invocation: Invocation): Promise<number> {
  const { io, output, operands } = invocation;
  const [name, ...words] = operands;
  const pairs = await parsePairs(words, io);
  return withSystem(invocation, {}, async ({ catalogue }) => {
    const prompts = await output.during(
      'Waiting for servers to list their prompts',
      catalogue.listPrompts(),
    );
    if (name === undefined) {
      output.result(
        prompts.map((prompt) => ({ ...prompt, name: dotted(prompt.name) })),
        () => list(prompts),
      );
      return 0;
    }
    const prompt = findPrompt(prompts, name);
    const filled = await catalogue.getPrompt(
      prompt.name,
      fillIn(prompt, pairs),
      createCallContext(io),
    );
    output.result(filled, () =>
      filled.messages
        .map(({ role, content }) => `[${role}]\n${contentText([content])}`)
        .join('\n\n'),
    );
    return 0;
  });
}

/** Prompts travel as `server__prompt`; people write `server.prompt`, as they do for tools. */
function dotted(wireName: string): string {
  return wireName.replace('__', '.');
}

function findPrompt(prompts: readonly Prompt[], name: string): Prompt {
  const found = prompts.find((prompt) => prompt.name === name || dotted(prompt.name) === name);
  if (found) return found;
  throw new UnknownNameError(
    'prompt',
    name,
    prompts.map((prompt) => dotted(prompt.name)),
  );
}

function fillIn(prompt: Prompt, pairs: readonly Pair[]): Record<string, string> {
  const known = (prompt.arguments ?? []).map((argument) => argument.name);
  const unknown = pairs.find((pair) => !known.includes(pair.name));
  if (unknown) {
    const has = known.length > 0 ? `It has: ${known.join(', ')}` : 'It takes none';
    throw new UsageError(`The prompt has no argument "${unknown.name}". ${has}`);
  }
  return Object.fromEntries(pairs.map((pair) => [pair.name, pair.value]));
}

function list(prompts: readonly Prompt[]): string {
  if (prompts.length === 0) return 'There are no prompts.';
  return formatColumns(
    prompts.map(({ name, title, description, arguments: args }) => [
      dotted(name),
      (args ?? []).map(argumentText).join(' '),
      firstSentence(description ?? title ?? '', maxDescription),
    ]),
  );
}

function argumentText({ name, required }: PromptArgument): string {
  return required === true ? `${name}=…` : `[${name}=…]`;
}
