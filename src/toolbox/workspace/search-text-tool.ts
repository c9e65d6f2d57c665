import { createContext, Script } from 'node:vm';
import { z } from 'zod';
import { AppError, pluralize } from '../../kernel/index.ts';
import { type DefinedTool, defineTool } from '../define-tool.ts';
import { excludeField, excluder } from '../files/exclude.ts';
import { readOnlyAnnotations } from '../effect-tool.ts';
import { InvalidPatternError } from './errors.ts';
import { pathField, type ProjectFiles } from './project-files.ts';
import { decodeText } from './text-file.ts';
import texts from './tools.json' with { type: 'json' };

const defaultLimit = 200;
const maxLimit = 10_000;
/** A pattern that backtracks for longer than this in one file is given up. */
const fileLimitMs = 500;
const maxShownChars = 300;

const input = z.strictObject({
  query: z.string().min(1).max(1000).describe('The text to find, or a regular expression.'),
  path: pathField
    .optional()
    .describe(
      'The file or folder to search, relative to the project root; everything when not given.',
    ),
  exclude: excludeField,
  regex: z
    .boolean()
    .default(false)
    .describe('Whether `query` is a JavaScript regular expression, matched line by line.'),
  case_sensitive: z.boolean().default(false).describe('Whether upper and lower case differ.'),
  limit: z
    .int()
    .min(1)
    .max(maxLimit)
    .default(defaultLimit)
    .describe(`The most matches to return, ${defaultLimit} when not given.`),
});

const output = z.object({
  matches: z.array(
    z.object({
      path: z.string(),
      line: z.int(),
      column: z.int(),
      text: z.string().describe('The line, cut when it is very long.'),
    }),
  ),
  total: z.int().describe('How many lines matched.'),
  truncated: z.boolean().describe('Whether more lines matched than were returned.'),
  files_searched: z.int(),
  files_skipped: z
    .int()
    .describe('Binary, unreadable or very large files, which were not searched.'),
});

/** The tool `search_text`. */
export function searchTextTool(files: ProjectFiles): DefinedTool {
  return defineTool({
    ...texts.search_text,
    input,
    output,
    annotations: readOnlyAnnotations,
    run: (request, { signal }) => searchText(files, request, signal),
    summarize: ({ matches, total, files_searched: searched }) =>
      [
        ...matches.map(({ path, line, column, text }) => `${path}:${line}:${column}: ${text}`),
        `${total === 1 ? '1 match' : `${total} matches`} in ${pluralize(searched, 'file')}`,
      ].join('\n'),
  });
}

async function searchText(
  files: ProjectFiles,
  { query, regex, case_sensitive: isExact, limit, ...where }: z.output<typeof input>,
  signal: AbortSignal,
): Promise<z.input<typeof output>> {
  const find = lineFinder({ query, regex, isExact });
  const matches: z.input<typeof output>['matches'] = [];
  const counts = { total: 0, searched: 0, skipped: 0 };
  for await (const { shown, text } of readTexts(files, where, signal)) {
    if (text === undefined) counts.skipped += 1;
    if (text === undefined) continue;
    counts.searched += 1;
    for (const match of find(text, shown)) {
      counts.total += 1;
      if (matches.length < limit) matches.push({ path: shown, ...match });
    }
  }
  return {
    matches,
    total: counts.total,
    truncated: counts.total > matches.length,
    files_searched: counts.searched,
    files_skipped: counts.skipped,
  };
}

interface Query {
  readonly query: string;
  readonly regex: boolean;
  readonly isExact: boolean;
}

interface LineMatch {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** Patterns come from a model or a stranger and may backtrack for ever: they run under a time limit. */
function lineFinder({
  query,
  regex,
  isExact,
}: Query): (text: string, shown: string) => LineMatch[] {
  const pattern = compile(regex ? query : RegExp.escape(query), isExact ? '' : 'i');
  const scope = { lines: [''], pattern, found: [] as number[] };
  const script = new Script(
    'for (let at = 0; at < lines.length; at += 1) { const hit = pattern.exec(lines[at]); if (hit) found.push(at, hit.index); }',
  );
  const context = createContext(scope);
  return (text, shown) => {
    const lines = text.split(/\r?\n/);
    Object.assign(scope, { lines, found: [] });
    try {
      script.runInContext(context, { timeout: fileLimitMs });
    } catch {
      throw new InvalidPatternError(query, `it took longer than ${fileLimitMs} ms on ${shown}`);
    }
    return Array.from({ length: scope.found.length / 2 }, (_, at) => {
      const [index = 0, column = 0] = scope.found.slice(at * 2, at * 2 + 2);
      const line = lines[index] ?? '';
      const from = column > maxShownChars ? column - maxShownChars / 2 : 0;
      return { line: index + 1, column: column + 1, text: line.slice(from, from + maxShownChars) };
    });
  };
}

/** Patterns that are wrong in Unicode mode, such as one with a needless backslash, are taken as they are. */
function compile(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    try {
      return new RegExp(source, flags);
    } catch (error) {
      throw new InvalidPatternError(source, error instanceof Error ? error.message : String(error));
    }
  }
}

/** Larger files are data rather than text a person wrote. */
const maxTextBytes = 2 * 1024 * 1024;

/** The text files of a file or folder, or of the whole project; `text` is undefined for what is none. */
export async function* readTexts(
  files: ProjectFiles,
  {
    path,
    exclude,
  }: { readonly path?: string | undefined; readonly exclude?: string[] | undefined },
  signal: AbortSignal,
): AsyncGenerator<{ readonly shown: string; readonly text: string | undefined }> {
  const isOut = excluder(exclude);
  for (const start of path === undefined ? files.roots : [path]) {
    for await (const found of files.walk(start, signal)) {
      const isMeant = found.kind === 'file' && !isOut(found.names.join('/'));
      if (isMeant) yield { shown: found.shown, text: await readOrSkip(files, found) };
    }
  }
}

async function readOrSkip(
  files: ProjectFiles,
  path: Parameters<ProjectFiles['read']>[0],
): Promise<string | undefined> {
  try {
    const found = await files.read(path, maxTextBytes);
    return found && decodeText(found.bytes, path.shown).text;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
