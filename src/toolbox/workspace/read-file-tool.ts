import { z } from 'zod';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { NoSuchFileError } from './errors.ts';
import { pathField, type ProjectFiles } from './project-files.ts';
import { readOnlyAnnotations } from '../effect-tool.ts';
import { contentHash, decodeText, detectLineEndings, encodings, lineEndings } from './text-file.ts';
import texts from './tools.json' with { type: 'json' };

/** Longer content is cut: no reader takes more at once. */
const maxContentChars = 4_000_000;
const maxLines = 1_000_000;

const input = z.strictObject({
  path: pathField.describe('The file to read, relative to the project root, e.g. src/cart.ts.'),
  offset: z
    .int()
    .min(-maxLines)
    .default(1)
    .describe('The first line to return, counted from 1; -20 for the last 20 lines.'),
  limit: z
    .int()
    .min(1)
    .max(maxLines)
    .optional()
    .describe('The most lines to return; all to the end when not given.'),
});

const output = z.object({
  path: z.string().describe('The file, relative to the project root.'),
  content: z.string().describe('The text, without a byte order mark, with its own line endings.'),
  hash: z.string().describe('Hash of the whole file; give it to apply_changes as `expected_hash`.'),
  lines: z.int().describe('Lines of the whole file.'),
  truncated: z.boolean().describe('Whether the file has more lines than were returned.'),
  encoding: z.enum(encodings),
  line_endings: z.enum(lineEndings),
});

/** The tool `read_file`. */
export function readFileTool(files: ProjectFiles): DefinedTool {
  return defineTool({
    ...texts.read_file,
    input,
    output,
    annotations: readOnlyAnnotations,
    run: (request) => readFile(files, request),
    summarize: ({ content }) => content,
  });
}

async function readFile(
  files: ProjectFiles,
  { path, offset, limit = maxLines }: z.output<typeof input>,
): Promise<z.input<typeof output>> {
  const located = await files.locate(path);
  const found = await files.read(located);
  if (!found) throw new NoSuchFileError(path);
  const { text, encoding } = decodeText(found.bytes, located.shown);
  const all = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const first = Math.max(0, offset < 0 ? all.length + offset : offset - 1);
  const wanted = all.slice(first, first + limit).join('');
  const content = wanted.slice(0, maxContentChars);
  return {
    path: located.shown,
    content,
    hash: contentHash(found.bytes),
    lines: all.length,
    truncated: content.length < wanted.length || first > 0 || first + limit < all.length,
    encoding,
    line_endings: detectLineEndings(text),
  };
}
