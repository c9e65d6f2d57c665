import { lstat } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';
import { z } from 'zod';
import { pluralize } from '../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { pathField, type ProjectFiles } from './project-files.ts';
import { excludeField, excluder } from '../files/exclude.ts';
import { readOnlyAnnotations } from '../effect-tool.ts';
import texts from './tools.json' with { type: 'json' };

const defaultLimit = 1_000;
const maxLimit = 20_000;
/** Counting ends here; `total` is then a lower bound. */
const maxCounted = 200_000;

const input = z.strictObject({
  path: pathField
    .optional()
    .describe(
      'The folder to list, relative to the project root; the whole project when not given.',
    ),
  pattern: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('A glob such as **/*.ts or *.md. One without a slash matches names in every folder.'),
  exclude: excludeField,
  limit: z
    .int()
    .min(1)
    .max(maxLimit)
    .default(defaultLimit)
    .describe(`The most files to return, ${defaultLimit} when not given.`),
});

const output = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      kind: z.enum(['file', 'link', 'other']).describe('Symbolic links are listed, not followed.'),
      bytes: z.int(),
    }),
  ),
  total: z.int().describe('How many files matched.'),
  truncated: z.boolean().describe('Whether more files matched than were returned.'),
});

/** The tool `list_files`. */
export function listFilesTool(files: ProjectFiles): DefinedTool {
  return defineTool({
    ...texts.list_files,
    input,
    output,
    annotations: readOnlyAnnotations,
    run: (request, { signal }) => listFiles(files, request, signal),
    summarize: ({ files: listed, total, truncated }) =>
      [
        ...listed.map(({ path }) => path),
        `${pluralize(total, 'file')}${truncated ? `, the first ${listed.length} shown` : ''}`,
      ].join('\n'),
  });
}

async function listFiles(
  files: ProjectFiles,
  { path, pattern, exclude, limit }: z.output<typeof input>,
  signal: AbortSignal,
): Promise<z.input<typeof output>> {
  const listed: z.input<typeof output>['files'] = [];
  let total = 0;
  const isOut = excluder(exclude);
  for (const start of path === undefined ? files.roots : [path]) {
    for await (const found of files.walk(start, signal)) {
      if (pattern !== undefined && !matchesPattern(found.names, pattern)) continue;
      if (isOut(found.names.join('/'))) continue;
      total += 1;
      if (total > maxCounted) break;
      if (listed.length >= limit) continue;
      const info = await lstat(join(found.root, ...found.names)).catch(() => undefined);
      listed.push({ path: found.shown, kind: found.kind, bytes: info?.size ?? 0 });
    }
  }
  return { files: listed, total, truncated: total > listed.length };
}

function matchesPattern(names: readonly string[], pattern: string): boolean {
  const isName = !pattern.includes('/');
  return matchesGlob(isName ? (names.at(-1) ?? '') : names.join('/'), pattern.replace(/^\.\//, ''));
}
