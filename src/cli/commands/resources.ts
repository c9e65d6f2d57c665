import type { ResourceContents } from '../../contract/resource/index.ts';
import { createCallContext } from '../call-context.ts';
import { withSystem, type Invocation } from '../invocation.ts';
import { firstSentence, formatColumns } from '../output.ts';

const maxDescription = 90;

export async function run(invocation: Invocation): Promise<number> {
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
