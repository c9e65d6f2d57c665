import type { CatalogueEntry } from '../../src/contract/catalogue/index.ts';
import {
  examplesMetaKey,
  needsModelMetaKey,
  type JsonSchema,
} from '../../src/contract/tool/index.ts';
import { examplePhrases } from '../../src/toolbox/phrases/index.ts';
import {
  createPlanner,
  type PlanningAnswer,
  type PlanningRequest,
} from '../../src/agent/planner/index.ts';
import { planMessage } from '../../src/agent/propose/index.ts';

const text = { type: 'string' };
const planner = createPlanner(examplePhrases);

function tool(
  name: string,
  input: Record<string, JsonSchema>,
  more: {
    required?: string[];
    output?: string[];
    examples?: string[];
    isEffect?: boolean;
    needsModel?: boolean;
  } = {},
): CatalogueEntry {
  const [server = '', short = ''] = name.split('.');
  const output = Object.fromEntries((more.output ?? []).map((field) => [field, text]));
  return {
    name,
    wireName: name.replace('.', '__'),
    server,
    tool: {
      name: short,
      inputSchema: { type: 'object', properties: input, required: more.required ?? [] },
      ...(more.output && { outputSchema: { type: 'object', properties: output } }),
      annotations: { readOnlyHint: more.isEffect !== true },
      _meta: {
        [examplesMetaKey]: more.examples ?? [],
        ...(more.needsModel === true && { [needsModelMetaKey]: true }),
      },
    },
  };
}

const source = { code: text, path: text, exclude: { type: 'array', items: text } };
export const tools = [
  tool(
    'code.generate_code',
    { description: text, code: text, language: text },
    {
      required: ['description'],
      output: ['code'],
      needsModel: true,
      examples: ['write a function', 'change this code', 'make it faster'],
    },
  ),
  tool(
    'code.generate_tests',
    { code: text, test_framework: text },
    { required: ['code'], output: ['test_code'], examples: ['write tests for this', 'test it'] },
  ),
  tool('code.review_code', source, {
    output: ['summary'],
    examples: ['review this', 'find bugs in this code', 'what is wrong here?'],
  }),
  tool('code.format_code', source, {
    output: ['formatted_code', 'changes'],
    examples: ['format this file'],
  }),
  tool(
    'code.scan_security',
    { ...source, language: text },
    { output: ['summary'], examples: ['find injections'] },
  ),
  tool(
    'exec.run_tests',
    { path: text, files: { type: 'object' } },
    { examples: ['run the tests'] },
  ),
  tool(
    'workspace.git_blame',
    { path: text, start_line: { type: 'integer' }, end_line: { type: 'integer' } },
    { required: ['path'], examples: ['who wrote this line?'] },
  ),
  tool('code.scan_secrets', source, {
    output: ['summary'],
    examples: ['find secrets', 'any keys in here?'],
  }),
  tool(
    'workspace.read_file',
    { path: text },
    { required: ['path'], output: ['content'], examples: ['show me the file'] },
  ),
  tool(
    'workspace.apply_changes',
    {
      changes: {
        type: 'array',
        items: { type: 'object', properties: { path: text, delete: { type: 'boolean' } } },
      },
      path: text,
      content: text,
    },
    {
      isEffect: true,
      examples: ['save it', 'write it back', 'apply it', 'delete the file old.txt'],
    },
  ),
  tool(
    'workspace.undo_changes',
    {},
    { isEffect: true, examples: ['undo that', 'restore the files'] },
  ),
  tool(
    'exec.run_code',
    { path: { ...text, description: 'A file of the project to run.' }, code: text },
    { examples: ['run this program'] },
  ),
  tool('workspace.git_diff', { path: text, commit: text }, { examples: ['show my changes'] }),
  tool(
    'workspace.git_log',
    { path: text, limit: { type: 'integer' } },
    { examples: ['list the commits'] },
  ),
  tool(
    'workspace.replace_text',
    { find: text, replace_with: text, path: text },
    { required: ['find', 'replace_with'], isEffect: true, examples: ['rename it everywhere'] },
  ),
  tool(
    'docs.get_docs',
    { library: text, topic: text },
    { required: ['library', 'topic'], examples: ['look it up in the docs'] },
  ),
  tool('acme.format_document', source, { examples: ['format this file'] }),
  tool('office.send_email', { to: text, body: text }, { required: ['to', 'body'], isEffect: true }),
];
const tree = ['src/cart.ts', 'src/index.ts', 'lib/index.ts', 'README.md'];

export function ask(
  message: string,
  more: Partial<PlanningRequest> & { tree?: readonly string[] } = {},
): Promise<PlanningAnswer> {
  const { tree: files = tree, ...request } = more;
  return planMessage(planner, {
    message,
    tools,
    attachments: [],
    remembered: [],
    history: [],
    files: {
      kind: async (named) => {
        const path = named.replace(/^\.\//u, '');
        if (files.includes(path)) return 'file';
        return files.some((file) => file.startsWith(`${path}/`)) ? 'folder' : undefined;
      },
      list: async () => files,
    },
    isOwn: (server) => ['code', 'docs', 'exec', 'workspace'].includes(server),
    maxSteps: 10,
    signal: new AbortController().signal,
    ...request,
  });
}

export async function firstPlan(...asked: Parameters<typeof ask>) {
  const answer = await ask(...asked);
  if (answer.kind !== 'plan') throw new Error(`not a plan: ${JSON.stringify(answer)}`);
  return answer.candidates[0]?.plan.steps.map(({ id, tool: name, args }) => ({
    id,
    tool: name,
    args,
  }));
}
