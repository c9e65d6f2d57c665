import type { CallContext, McpServer, ServerChange } from '../../src/contract/server/index.ts';
import type { PromptMessage } from '../../src/contract/prompt/index.ts';
import type { ResourceContents } from '../../src/contract/resource/index.ts';
import type { ContentBlock, JsonSchema } from '../../src/contract/tool/index.ts';
import { askForContext, askingTools } from './conformance-questions.ts';
import { FixtureError } from './fixture-server.ts';

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';
const image: ContentBlock = { type: 'image', data: pixel, mimeType: 'image/png' };
const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const resource = (contents: ResourceContents): ContentBlock => ({
  type: 'resource',
  resource: contents,
});

/** What the scenarios of the official runner that need a fixture ask for, by the names they use. */
const tools: Readonly<Record<string, readonly ContentBlock[]>> = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }],
  test_embedded_resource: [
    resource({
      uri: 'test://embedded-resource',
      mimeType: 'text/plain',
      text: 'This is an embedded resource content.',
    }),
  ],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    resource({
      uri: 'test://mixed-content-resource',
      mimeType: 'application/json',
      text: '{"test":"data","value":123}',
    }),
  ],
  test_error_handling: [text('This tool intentionally returns an error for testing')],
  test_tool_with_progress: [text('done')],
  test_trigger_tool_change: [text('changed')],
  test_trigger_prompt_change: [text('changed')],
  json_schema_2020_12_tool: [text('ok')],
  test_header_tool: [text('ok')],
};

const schemas: Readonly<Record<string, JsonSchema>> = {
  test_header_tool: {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  },
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // oxlint-disable-next-line unicorn/no-thenable -- a JSON Schema keyword, not a promise
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};

const prompts: Readonly<
  Record<string, (args: Readonly<Record<string, string>>) => readonly ContentBlock[]>
> = {
  test_simple_prompt: () => [text('This is a simple prompt for testing.')],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri = '' }) => [
    resource({
      uri: resourceUri,
      mimeType: 'text/plain',
      text: 'Embedded resource content for testing.',
    }),
    text('Please process the embedded resource above.'),
  ],
  test_prompt_with_image: () => [image, text('Please analyze the image above.')],
};

const askingPrompt = 'test_input_required_result_prompt';

/** A server that has every fixture of the runner. */
export function createConformanceServer(): McpServer {
  const listeners = new Set<(change: ServerChange) => void>();
  const changed = (change: ServerChange): void => {
    for (const listener of listeners) listener(change);
  };
  return {
    name: 'conformance',
    title: 'Conformance',
    version: '1.0.0',
    listTools: async () =>
      Object.keys({ ...tools, ...askingTools }).map((name) => ({
        name,
        description: 'A fixture of the conformance runner.',
        inputSchema: schemas[name] ?? { type: 'object' },
      })),
    callTool: async (name, args, context) => {
      // The gateway lets only objects through.
      const asking = askingTools[name]?.(
        (args ?? {}) as Readonly<Record<string, unknown>>,
        context,
      );
      if (asking) return asking;
      const content = tools[name];
      if (!content) throw new FixtureError('toolbox.not_found', `No tool "${name}"`);
      if (name === 'test_trigger_tool_change') changed({ kind: 'tools' });
      if (name === 'test_trigger_prompt_change') changed({ kind: 'prompts' });
      if (name === 'test_tool_with_progress') reportProgress(context);
      return name === 'test_error_handling' ? { content, isError: true } : { content };
    },
    listResources: async () => [
      { uri: 'test://static-text', name: 'text', mimeType: 'text/plain' },
      { uri: 'test://static-binary', name: 'binary', mimeType: 'image/png' },
    ],
    listResourceTemplates: async () => [
      { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
    ],
    readResource: async (uri) => ({ contents: [readResource(uri)] }),
    listPrompts: async () =>
      [...Object.keys(prompts), askingPrompt].map((name) => ({
        name,
        description: 'A fixture of the conformance runner.',
      })),
    getPrompt: async (name, args, context) => {
      const contents =
        name === askingPrompt ? [text(await askForContext(context))] : prompts[name]?.(args);
      if (!contents) throw new FixtureError('toolbox.not_found', `No prompt "${name}"`);
      return { messages: contents.map((content): PromptMessage => ({ role: 'user', content })) };
    },
    complete: async () => ({ values: [] }),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {},
  };
}

function reportProgress({ progress }: CallContext): void {
  for (const done of [0, 50, 100]) progress({ progress: done, total: 100 });
}

function readResource(uri: string): ResourceContents {
  if (uri === 'test://static-text') {
    return {
      uri,
      mimeType: 'text/plain',
      text: 'This is the content of the static text resource.',
    };
  }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: pixel };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw new FixtureError('toolbox.not_found', `No resource "${uri}"`);
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: 'application/json', text: JSON.stringify(data) };
}
