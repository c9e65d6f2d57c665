import { expect, it } from 'vitest';
import type { McpServer } from '../contract/server/index.ts';
import type { ToolResult } from '../contract/tool/index.ts';
import { aCallContext } from '../../testkit/toolbox/call-context.ts';
import { createToolboxServer } from '../toolbox/toolbox-server.ts';
import { openGenerationWith } from './generation.ts';

const settings = { max_new_tokens: 10, stop_sequences: [], max_repairs: 1, test_seconds: 5 };
const usage = { inputTokens: 1, outputTokens: 1, isEstimated: true, costUsd: null };

it('checks code with the server it belongs to and with servers of its own, which it closes', async () => {
  const called: string[] = [];
  let closed = 0;
  const exec: McpServer = {
    ...createToolboxServer({ name: 'exec', title: 'exec', version: '1', instructions: '' }),
    callTool: async (name) => {
      called.push(`exec.${name}`);
      return answer({ status: 'exited', exitCode: 1, reason: null, stdout: '', stderr: 'no' });
    },
    close: async () => {
      closed += 1;
    },
  };
  const open = openGenerationWith({
    settings: { tools: { code_generation: settings } },
    request: { cwd: '.' },
    models: {
      find: async () => ({
        name: 'scripted',
        provider: 'openai',
        model: null,
        url: null,
        source: 'configured',
        roles: { code: 1 },
        contextTokens: null,
        isReachable: true,
      }),
      structured: async (_role, { schema }) => ({
        value: schema.parse({ code: 'x = 1\n', tests: 'def test_a():\n    assert x == 1\n' }),
        model: 'scripted',
        usage,
        attempts: 1,
      }),
    },
    servers: { exec: async () => exec },
  });
  const generation = await open(async (name) => {
    called.push(`code.${name}`);
    return answer(
      name === 'format_code' ? { formatted_code: 'def f(x):\n    assert x\n' } : { issues: [] },
    );
  });
  const input = { description: 'd', language: 'python', style: 'pep8' } as const;
  const result = await generation.generateCode(input, aCallContext());
  expect(result.verified).toBe(false);
  expect(result.evidence.attempts).toBe(settings.max_repairs + 1);
  expect(new Set(called)).toEqual(
    new Set(['code.format_code', 'code.review_code', 'exec.run_code']),
  );
  await generation.close();
  expect(closed).toBe(1);
});

function answer(structuredContent: Readonly<Record<string, unknown>>): ToolResult {
  return { content: [], structuredContent };
}
