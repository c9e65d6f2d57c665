import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aFolder, program } from './support/run-tutti.ts';

/** Every character that a reader does not see, but newline and tab. */
const unseen = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/u.test(character));
const perStep = 1_000;
const chunks = Array.from({ length: Math.ceil(unseen.length / perStep) }, (_, at) =>
  unseen.slice(at * perStep, (at + 1) * perStep).map((character) => `a${character}`),
);

/** A person at the official client who reads every question and leaves the decision for later. */
async function aReader(mode: 'legacy' | 'auto'): Promise<{ client: Client; questions: string[] }> {
  const cwd = aFolder();
  const questions: string[] = [];
  const client = new Client(
    { name: 'reader', version: '1' },
    { versionNegotiation: { mode }, capabilities: { elicitation: {} } },
  );
  onTestFinished(() => client.close());
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    questions.push(params.message);
    return { action: 'cancel' };
  });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', '--all'],
      cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TUTTI_HOME: `${cwd}/data` },
      stderr: 'ignore',
    }),
  );
  return { client, questions };
}

describe.each([
  ['2025-11-25', 'legacy'],
  ['2026-07-28', 'auto'],
] as const)('a question for approval over MCP %s', (_era, mode) => {
  it('shows every character that is not seen as its code', async () => {
    const { client, questions } = await aReader(mode);
    const steps = chunks.map((texts, at) => ({
      id: `s${at}`,
      tool: 'code.format_code',
      args: { language: 'python', code: texts },
      approval: { message: `Look: ${texts.slice(0, 100).join('')}` },
    }));
    const asText = steps.map(({ args, ...step }) => ({
      ...step,
      args: { ...args, code: args.code.join('') },
    }));
    await client.callTool({ name: 'workflow__run_plan', arguments: { plan: { steps: asText } } });
    expect(unseen.length).toBeGreaterThan(4_200);
    expect(questions).toHaveLength(chunks.length);
    const all = questions.join('\n');
    expect(all.match(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/gu)).toBeNull();
    const shown = questions.map((question) => JSON.parse(question.slice(question.indexOf('{\n'))));
    expect(new Set(shown.map(({ code }) => code))).toEqual(
      new Set(asText.map(({ args }) => args.code)),
    );
  });

  it('is not asked about a call that is too long for it, and says so', async () => {
    const { client, questions } = await aReader(mode);
    const code = `x = 1\n${'#'.repeat(30_000)}\n`;
    const args = { language: 'python', code };
    const steps = [{ id: 'long', tool: 'code.format_code', args, approval: true }];
    const { structuredContent, content } = await client.callTool({
      name: 'workflow__run_plan',
      arguments: { plan: { steps } },
    });
    const command = (verb: string): unknown =>
      expect.stringMatching(new RegExp(`^tutti runs ${verb} \\S+ long$`));
    expect(questions).toEqual([]);
    expect(structuredContent).toMatchObject({
      status: 'waiting',
      waitingFor: [{ commands: ['show', 'approve', 'deny'].map(command) }],
    });
    expect(content).toMatchObject([
      { text: expect.stringMatching(/cannot be approved here: its call has 30\d{3} characters/) },
    ]);
  });
});
