import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { openSystem } from '../../../src/compose/index.ts';
import type { CatalogueEntry } from '../../../src/contract/catalogue/index.ts';
import {
  formalizedTaskSchema,
  generatedCodeSchema,
  generatedTestsSchema,
} from '../../../src/contract/generation/index.ts';
import { languages } from '../../../src/contract/language/index.ts';
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
    return [...ours, ...generationTools().filter(({ name }) => !known.has(name)), ...otherTools()];
  } finally {
    await system.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function schemaOf(type: z.ZodType): JsonSchema {
  return z.toJSONSchema(type);
}

const language = z.enum(languages);

/** As the code server declares them. */
function generationTools(): readonly CatalogueEntry[] {
  return [
    entry('code', 'formalize_task', {
      description:
        'Turns an informal request into a structured description with requirements and steps.',
      inputSchema: schemaOf(
        z.object({ informal_request: z.string(), context: z.string().optional() }),
      ),
      outputSchema: schemaOf(formalizedTaskSchema),
    }),
    entry('code', 'generate_code', {
      description: 'Writes code from a description and checks it before it is given back.',
      inputSchema: schemaOf(
        z.object({
          description: z.string(),
          language: language.optional(),
          style: z.string().optional(),
          tests: z.string().optional(),
          code: z.string().optional(),
        }),
      ),
      outputSchema: schemaOf(generatedCodeSchema),
    }),
    entry('code', 'generate_tests', {
      description: 'Writes tests for code, runs them and measures what they cover.',
      inputSchema: schemaOf(
        z.object({
          code: z.string(),
          language: language.optional(),
          test_framework: z.string().optional(),
          coverage_target: z.int().min(0).max(100).optional(),
        }),
      ),
      outputSchema: schemaOf(generatedTestsSchema),
    }),
  ];
}

const text = z.string();

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
