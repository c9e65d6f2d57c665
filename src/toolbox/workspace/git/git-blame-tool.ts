import { z } from 'zod';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import { pathField, type ProjectFiles } from '../project-files.ts';
import { readOnlyAnnotations } from '../../effect-tool.ts';
import { findTarget } from './git.ts';
import texts from '../tools.json' with { type: 'json' };

const maxLines = 5_000;

const input = z.strictObject({
  path: pathField.describe('The file to look at, relative to the project root.'),
  start_line: z.int().min(1).default(1).describe('The first line to look at, counted from 1.'),
  end_line: z.int().min(1).optional().describe('The last line to look at; the end when not given.'),
});

const output = z.object({
  lines: z.array(
    z.object({
      line: z.int(),
      hash: z.string().describe('All zeros for a line that is not committed.'),
      author: z.string(),
      date: z.string(),
      summary: z.string().describe('First line of the commit message.'),
      text: z.string(),
    }),
  ),
  truncated: z.boolean(),
});

/** The tool `git_blame`. */
export function gitBlameTool(files: ProjectFiles): DefinedTool {
  return defineTool({
    ...texts.git_blame,
    input,
    output,
    annotations: readOnlyAnnotations,
    run: (request, { signal }) => readBlame(files, request, signal),
    summarize: ({ lines }) =>
      lines
        .map(
          ({ line, hash, author, date, text }) =>
            `${line} ${hash.slice(0, 10)} ${date.slice(0, 10)} ${author}: ${text}`,
        )
        .join('\n'),
  });
}

async function readBlame(
  files: ProjectFiles,
  { path, start_line: start, end_line: end }: z.output<typeof input>,
  signal: AbortSignal,
): Promise<z.input<typeof output>> {
  const { git, limit } = await findTarget(files, path, signal);
  const last = Math.min(end ?? Number.MAX_SAFE_INTEGER, start + maxLines - 1);
  const range = end === undefined ? `${start},` : `${start},${last}`;
  const text = await git.run(['blame', '--no-textconv', '--line-porcelain', '-L', range, ...limit]);
  const lines = readLines(text);
  return {
    lines: lines.slice(0, maxLines),
    truncated: lines.length > maxLines || (end ?? 0) > last,
  };
}

/** Records of `--line-porcelain`: a head, `name value` lines, then the text after a tab. */
function readLines(text: string): z.input<typeof output>['lines'] {
  const found: z.input<typeof output>['lines'] = [];
  let record = new Map<string, string>();
  for (const line of text.split('\n')) {
    if (line.startsWith('\t')) {
      const [hash = '', , number = '0'] = (record.get('head') ?? '').split(' ');
      found.push({
        line: Number(number),
        hash,
        author: record.get('author') ?? '',
        date: new Date(Number(record.get('author-time') ?? 0) * 1000).toISOString(),
        summary: record.get('summary') ?? '',
        text: line.slice(1).replace(/\r$/, ''),
      });
      record = new Map();
    } else if (!record.has('head')) {
      record.set('head', line);
    } else {
      const space = line.indexOf(' ');
      record.set(line.slice(0, space), line.slice(space + 1));
    }
  }
  return found;
}
