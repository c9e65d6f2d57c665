import { rpcCode, RpcFailure, type Members } from './exchange.ts';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

const text = (words: string): Members => ({ type: 'text', text: words });
const image: Members = { type: 'image', data: png, mimeType: 'image/png' };
const embedded = (uri: string, mimeType: string, words: string): Members => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
});

/** What tools of the runner that neither ask nor report anything give. */
export const plainTools: Readonly<Record<string, Members>> = {
  test_simple_text: { content: [text('This is a simple text response for testing.')] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    content: [embedded('test://embedded-resource', 'text/plain', 'An embedded resource.')],
  },
  test_multiple_content_types: {
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: {
    content: [text('This tool intentionally returns an error for testing')],
    isError: true,
  },
  json_schema_2020_12_tool: { content: [text('The schema was kept.')] },
  test_header_tool: { content: [text('The header was right.')] },
};

/** The schemas of tools that take arguments. */
export const inputSchemas: Readonly<Record<string, Members>> = {
  test_sampling: takes({ prompt: 'string' }),
  test_elicitation: takes({ message: 'string' }),
  greet: takes({ name: 'string' }),
  slow_compute: takes({ seconds: 'number', label: 'string' }),
  confirm_delete: takes({ filename: 'string' }),
  test_header_tool: {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  },
  // Parsed, because an object with a member "then" looks like a promise to the linter.
  json_schema_2020_12_tool: JSON.parse(`{
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": { "address": { "$anchor": "addressDef", "type": "object", "properties": { "city": { "type": "string" } } } },
    "properties": { "name": { "type": "string" }, "address": { "$ref": "#/$defs/address" }, "phone": { "type": "string" } },
    "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["name"] }] }],
    "if": { "required": ["name"] },
    "then": { "required": ["phone"] },
    "else": { "required": ["address"] },
    "additionalProperties": false
  }`),
};

function takes(properties: Readonly<Record<string, string>>): Members {
  const typed = Object.entries(properties).map(([name, type]) => [name, { type }]);
  return { type: 'object', properties: Object.fromEntries(typed) };
}

export const resources: readonly Members[] = [
  { uri: 'test://static-text', name: 'text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'binary', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'watched', mimeType: 'text/plain' },
];

export const templates: readonly Members[] = [
  { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
];

export function readResource(uri: string): Members {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { uri, mimeType: 'application/json', text: JSON.stringify(data) };
  }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: png };
  if (resources.some((resource) => resource['uri'] === uri)) {
    return { uri, mimeType: 'text/plain', text: 'This is the content of a text resource.' };
  }
  throw new RpcFailure(rpcCode.invalidParams, 'Resource not found', { uri });
}

type PromptContents = (args: Members) => readonly Members[];

export const prompts: Readonly<
  Record<string, { readonly takes: readonly string[]; readonly give: PromptContents }>
> = {
  test_simple_prompt: { takes: [], give: () => [text('This is a simple prompt for testing.')] },
  test_prompt_with_arguments: {
    takes: ['arg1', 'arg2'],
    give: ({ arg1, arg2 }) => [
      text(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`),
    ],
  },
  test_prompt_with_embedded_resource: {
    takes: ['resourceUri'],
    give: ({ resourceUri }) => [
      embedded(String(resourceUri), 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: {
    takes: [],
    give: () => [image, text('Please analyze the image above.')],
  },
};
