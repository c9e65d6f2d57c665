import { localCaller } from '../../contract/caller/index.ts';
import type { Contexts } from '../../contract/context/index.ts';
import type { Prompt, PromptArgument, PromptMessage } from '../../contract/prompt/index.ts';
import type { ResourceContents } from '../../contract/resource/index.ts';
import { UnknownNameError, UsageError } from '../errors.ts';
import { createCallContext, type Invocation, textOption, withSystem } from '../invocation.ts';
import { contentText, firstSentence, formatColumns } from '../output.ts';
import { type Pair, parsePairs } from '../tool-arguments.ts';

const maxDescription = 90;

export async function showResources(invocation: Invocation): Promise<number> {
  const { io, output, operands } = invocation;
  const [uri] = operands;
  return withSystem(invocation, {}, async ({ catalogue }) => {
    if (uri !== undefined) {
      const reading = catalogue.readResource(uri, createCallContext(io));
      const result = await output.during(`Reading ${uri}`, reading);
      output.data(result, () => result.contents.map(contentsText).join('\n'));
      return 0;
    }
    const [resources, resourceTemplates] = await output.during(
      'Waiting for servers to list their resources',
      Promise.all([catalogue.listResources(), catalogue.listResourceTemplates()]),
    );
    output.result({ resources, resourceTemplates }, () => {
      const rows = [
        ...resources.map(({ uri, ...rest }) => [uri, summary(rest)]),
        ...resourceTemplates.map(({ uriTemplate, ...rest }) => [uriTemplate, summary(rest)]),
      ];
      return rows.length > 0 ? formatColumns(rows) : 'There are no resources.';
    });
    return 0;
  });
}

function summary(named: { name: string; title?: string; description?: string }): string {
  return firstSentence(named.description ?? named.title ?? named.name, maxDescription);
}

function contentsText({ uri, text, blob, mimeType }: ResourceContents): string {
  if (text !== undefined) return text;
  return `[${uri}: ${mimeType ?? 'binary'}, ${blob?.length ?? 0} base64 characters: use --json]`;
}

export async function showPrompts(invocation: Invocation): Promise<number> {
  const { io, output, operands } = invocation;
  const [name, ...words] = operands;
  const pairs = await parsePairs(words, io);
  return withSystem(invocation, {}, async ({ catalogue, contexts }) => {
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
    const messages = [...filled.messages, ...(await contextMessages(invocation, contexts))];
    output.result({ ...filled, messages }, () =>
      messages.map(({ role, content }) => `[${role}]\n${contentText([content])}`).join('\n\n'),
    );
    return 0;
  });
}

/** The context that goes with a prompt. */
async function contextMessages(
  invocation: Invocation,
  contexts: Contexts,
): Promise<readonly PromptMessage[]> {
  const ref = textOption(invocation, 'context');
  if (ref === undefined) return [];
  const { text } = await contexts.pack(localCaller, ref);
  return [{ role: 'user', content: { type: 'text', text } }];
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
