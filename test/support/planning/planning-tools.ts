import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { openSystem } from '../../../src/compose/index.ts';
import type { CatalogueEntry } from '../../../src/contract/catalogue/index.ts';
import type { JsonSchema } from '../../../src/contract/tool/index.ts';

/** Our own tools as the fleet lists them, and a server of others that say no more than they must. */
export async function planningTools(): Promise<readonly CatalogueEntry[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-planning-'));
  const system = await openSystem({
    flags: { home: join(folder, 'home') },
    env: { PATH: process.env['PATH'], HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') },
    cwd: folder,
  });
  try {
    const ours = await system.catalogue.entries();
    const known = new Set(ours.map(({ name }) => name));
    return [...ours, ...workspaceTools().filter(({ name }) => !known.has(name)), ...otherTools()];
  } finally {
    await system.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What five servers that people often add list, as they listed it. */
export function foreignTools(): readonly CatalogueEntry[] {
  const path = new URL('../../data/planning/foreign-tools.json', import.meta.url);
  const tool = z.looseObject({
    server: z.string(),
    name: z.string(),
    inputSchema: z.record(z.string(), z.unknown()),
  });
  const { tools } = z
    .object({ tools: z.array(tool) })
    .parse(JSON.parse(readFileSync(path, 'utf8')));
  return tools.map(({ server, name, ...more }) => entry(server, name, more));
}

function schemaOf(type: z.ZodType): JsonSchema {
  return z.toJSONSchema(type);
}

const text = z.string();

/** As the workspace server declares them. */
function workspaceTools(): readonly CatalogueEntry[] {
  const tool = (
    name: string,
    description: string,
    more: { input: z.ZodRawShape; output?: z.ZodRawShape; examples: string[]; isEffect?: boolean },
  ): CatalogueEntry =>
    entry('workspace', name, {
      description,
      inputSchema: schemaOf(z.object(more.input)),
      ...(more.output && { outputSchema: schemaOf(z.object(more.output)) }),
      annotations: { readOnlyHint: more.isEffect !== true },
      _meta: { 'tutti/examples': more.examples },
    });
  const path = text.optional();
  return [
    tool('read_file', 'Reads a text file of the project.', {
      input: { path: text },
      output: { path: text, content: text },
      examples: [
        'read the file',
        'show me the file',
        'what does this file contain?',
        'open this file',
        'print the contents of the file',
      ],
    }),
    tool('list_files', 'Lists files and folders of the project.', {
      input: { path, pattern: path },
      examples: [
        'list the files',
        'which files are in this folder?',
        'what is in here?',
        'list all files of the project',
        'show the files in the directory',
      ],
    }),
    tool('search_text', 'Searches the files of the project for a text or a regular expression.', {
      input: { query: text, path },
      examples: [
        'where is this function used?',
        'find all occurrences of a word',
        'search the project for a text',
        'grep for something',
        'find the TODO comments',
        'where do we set this value?',
        'does anything use this?',
        'find usages of a symbol',
      ],
    }),
    tool('apply_changes', 'Writes files: new content or a diff, all at once.', {
      input: { path, content: path, diff: path },
      examples: [
        'save it',
        'save them',
        'write it back',
        'apply it',
        'apply the changes',
        'save the result to a file',
        'put it into this file',
        'write the result next to it',
        'store both in the folder',
        'save the file',
      ],
      isEffect: true,
    }),
    tool('undo_changes', 'Takes back changes that were applied.', {
      input: { change_id: path },
      examples: [
        'undo that',
        'undo the last change',
        'revert what you did',
        'roll it back',
        'take it back',
      ],
      isEffect: true,
    }),
    tool('git_status', 'Shows which files are changed, staged or untracked.', {
      input: {},
      examples: [
        'git status',
        'which files did I change?',
        'what is uncommitted?',
        'what is staged?',
        'is there anything uncommitted?',
      ],
    }),
    tool('git_diff', 'Shows what changed in the files.', {
      input: { path, since: path },
      output: { diff: text },
      examples: [
        'git diff',
        'what did I change?',
        'what changed since yesterday?',
        'show the differences',
        'show my changes',
        'what is different?',
      ],
    }),
    tool('git_log', 'Lists commits.', {
      input: { path, since: path, author: path },
      examples: [
        'git log',
        'show the history of this file',
        'what was committed this week?',
        'what happened since Monday?',
        'recent commits',
        'what did I do today?',
      ],
    }),
    tool('git_blame', 'Shows who changed each line of a file last.', {
      input: { path: text },
      examples: [
        'who wrote this file?',
        'who changed this line last?',
        'git blame',
        'who touched this?',
        'author of this file',
      ],
    }),
    tool('git_commit', 'Commits changes.', {
      input: { message: text },
      examples: [
        'commit this',
        'commit my changes',
        'commit everything with a message',
        'git commit',
      ],
      isEffect: true,
    }),
  ];
}

function otherTools(): readonly CatalogueEntry[] {
  const tool = (name: string, description: string, input: z.ZodRawShape): CatalogueEntry =>
    entry('office', name, { description, inputSchema: schemaOf(z.object(input)) });
  return [
    tool('read_file', 'Read a file from disk.', { path: text }),
    tool('write_file', 'Write text to a file.', { path: text, content: text }),
    tool('run_tests', 'Run the test suite and return results.', { tests: text.optional() }),
    tool('create_issue', 'Create an issue in the tracker.', { title: text.optional(), body: text }),
    tool('list_issues', 'List issues of the project.', { label: text.optional() }),
    tool('create_pull_request', 'Open a pull request.', { title: text.optional() }),
    tool('post_slack_message', 'Post a message to a Slack channel.', { channel: text, text }),
    tool('send_email', 'Send an e-mail.', { to: text, subject: text.optional(), body: text }),
    tool('web_search', 'Search the web.', { query: text }),
    tool('summarize_text', 'Summarize text.', { text }),
  ];
}

function entry(
  server: string,
  name: string,
  tool: Omit<CatalogueEntry['tool'], 'name'>,
): CatalogueEntry {
  return {
    name: `${server}.${name}`,
    wireName: `${server}__${name}`,
    server,
    tool: { name, ...tool },
  };
}
