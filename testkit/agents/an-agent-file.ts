import type { AgentFile } from '../../src/agents/definition/read-agent-file.ts';
import type { AgentSource } from '../../src/contract/agents/index.ts';

const usual = [
  'name: helper',
  'version: 1.0.0',
  'description: Does what a test wants.',
  'capabilities: [things.do]',
  'tools: [code.review_code]',
];

/** An agent file; each line replaces the one of the same field, or is added. */
export function anAgentFile(
  lines: readonly string[] = [],
  { path = 'helper.md', source = 'user' }: { path?: string; source?: AgentSource } = {},
): AgentFile {
  const fieldOf = (line: string): string => line.split(':')[0] ?? '';
  const given = new Set(lines.map(fieldOf));
  const kept = usual.filter((line) => !given.has(fieldOf(line)));
  const text = ['---', ...kept, ...lines, '---', '', 'Do it well.'].join('\n');
  return { path, text, source };
}
