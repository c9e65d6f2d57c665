/** A bare tool loop of the AI SDK over MCP tools: no plan, no journal, no session. Prints a line per turn. */
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { stepCountIs, streamText } from 'ai';

const [modelUrl = '', turns = '1', tutti = '', message = ''] = process.argv.slice(2);
const provider = createOpenAICompatible({ name: 'scripted', baseURL: modelUrl });
const transport = new StdioTransport({
  command: process.execPath,
  args: [tutti, 'mcp', '--only', 'code', '--all'],
});
const client = await createMCPClient({ transport });
const tools = await client.tools();

for (let turn = 0; turn < Number(turns); turn += 1) {
  const startedAt = performance.now();
  const answer = streamText({
    model: provider('scripted'),
    tools,
    stopWhen: stepCountIs(5),
    prompt: message,
  });
  let text = '';
  for await (const piece of answer.textStream) text += piece;
  if (!text.includes('complexity')) throw new Error(`unexpected answer: ${text}`);
  console.log(JSON.stringify({ ms: performance.now() - startedAt }));
}
await client.close();
process.exit(0);
