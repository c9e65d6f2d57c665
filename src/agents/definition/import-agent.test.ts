import { expect, it } from 'vitest';
import { importAgent } from './import-agent.ts';
import { readAgentFile } from './read-agent-file.ts';

const foreign = (...fields: readonly string[]): string =>
  ['---', ...fields, '---', 'Be strict.'].join('\n');

it.each([
  [
    'a usual one',
    foreign('name: code-reviewer', 'description: Reviews', 'tools: Read, Grep', 'model: sonnet'),
    ['workspace.read_file', 'workspace.search_text'],
    [],
  ],
  [
    'with a list',
    foreign('name: Tester', 'tools: [Bash(npm test:*), WebFetch]'),
    [
      'exec.run_command',
      'exec.run_tests',
      'workspace.git_status',
      'workspace.git_diff',
      'workspace.git_log',
    ],
    ['WebFetch'],
  ],
  [
    'without tools',
    foreign('name: helper', 'description: helps'),
    ['workspace.read_file', 'workspace.list_files', 'workspace.search_text', 'code.review_code'],
    [],
  ],
  [
    'with a colon in its description',
    foreign('name: x', 'description: Use this: now', 'tools: Write'),
    ['workspace.apply_changes'],
    [],
  ],
  [
    'with our tools',
    foreign('name: x', 'tools: code.review_code, jira.search'),
    ['code.review_code', 'jira.search'],
    [],
  ],
  [
    'with unknown fields',
    foreign('name: x', 'color: red', 'tools: Edit'),
    ['workspace.apply_changes', 'workspace.replace_text'],
    [],
  ],
])(
  'an agent file of another assistant, %s, becomes one of ours',
  (_what, text, tools, unknownTools) => {
    const imported = importAgent(text, 'x.md');
    expect(imported?.unknownTools).toEqual(unknownTools);
    const read = readAgentFile({ path: 'x.md', text: imported?.text ?? '', source: 'user' });
    if (read.kind !== 'read') throw new Error(JSON.stringify(read.problems));
    expect(read.agent.tools).toEqual(tools);
    expect(read.agent.instructions).toBe('Be strict.');
  },
);

it.each(['', 'no front matter', '---\ndescription: x\n---\n', '---\nname: 123\n---\n'])(
  '%j is none',
  (text) => {
    expect(importAgent(text, 'x.md')).toBeUndefined();
  },
);

it('is named after its file where such files carry no name', () => {
  const text = foreign('description: fixes', "tools: ['search', 'edit']");
  expect(importAgent(text, '.github/agents/Bug Fixer.agent.md')).toMatchObject({
    name: 'bug-fixer',
    unknownTools: [],
  });
});

it('is refused where its list of tools does not end: what it may do is never guessed', () => {
  expect(importAgent(foreign('name: x', 'tools: [', 'model: y'), 'x.md')).toBeUndefined();
});
