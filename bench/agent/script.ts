import { z } from 'zod';

/** What both programs are asked, and the code it is about. */
export const message =
  'Format this Python code and measure its complexity:\n```python\ndef f( a,b ):\n  if a>b : return a\n  return b\n```';
const code = 'def f( a,b ):\n  if a>b : return a\n  return b\n';

export const chatRequest = z.object({
  stream: z.boolean().default(false),
  messages: z.array(z.looseObject({ role: z.string() })),
  tools: z.array(z.unknown()).optional(),
  response_format: z
    .looseObject({ json_schema: z.looseObject({ name: z.string() }).optional() })
    .optional(),
});

/** What is asked when only the way to the first word counts: no tool is needed for it. */
export const greeting = 'Hello, who are you?';

const steps = [
  { id: 'format', tool: 'code.format_code', args: { code, language: 'python' } },
  { id: 'measure', tool: 'code.analyze_complexity', args: { code, language: 'python' } },
];

const intent = {
  primary_goal: 'Format Python code and measure its complexity',
  tools_needed: ['code.format_code', 'code.analyze_complexity'],
  parameters: { language: 'python' },
  needs_clarification: false,
  unclear_aspects: [],
  confidence: 0.95,
  steps,
};

interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

type Answer =
  | { readonly kind: 'text'; readonly pieces: readonly string[] }
  | { readonly kind: 'tools'; readonly calls: readonly ToolCall[] };

const call = (id: string, name: string): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify({ code, language: 'python' }) },
});

const closing = ['The code ', 'is formatted; ', 'its cyclomatic ', 'complexity ', 'is 2.'];

/** The tool loop gets tool calls and then words; Tutti an intent with its plan and then words. */
export function answerFor(request: z.output<typeof chatRequest>): Answer {
  const shape = request.response_format?.json_schema?.name;
  const isGreeting = JSON.stringify(request.messages.at(-1)).includes(greeting);
  if (shape !== undefined) {
    return { kind: 'text', pieces: [JSON.stringify(shaped(shape, isGreeting))] };
  }
  const isFirst = !request.messages.some(({ role }) => role === 'tool');
  if (request.tools !== undefined && isFirst) {
    return { kind: 'tools', calls: [call('1', 'format_code'), call('2', 'analyze_complexity')] };
  }
  return { kind: 'text', pieces: closing };
}

function shaped(name: string, isGreeting: boolean): object {
  if (isGreeting) return { ...intent, primary_goal: 'Say who I am', tools_needed: [], steps: [] };
  return name.includes('intent') ? intent : { steps };
}
