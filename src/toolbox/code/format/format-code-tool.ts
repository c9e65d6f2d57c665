import { z } from 'zod';
import type { CallContext } from '../../../contract/server/index.ts';
import { pluralize, reportError, lookupTable } from '../../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import type { CodeContext } from '../code-context.ts';
import { likelyLanguages } from '../detect-language.ts';
import { CodeSyntaxError, UnfitFormatterError } from '../errors.ts';
import { languages, type Language } from '../language.ts';
import {
  describeLeftOut,
  leftOutField,
  reportLeftOut,
  selectSources,
} from '../select/select-sources.ts';
import { inlinePath, sourceFields, type SourceFile } from '../source-files.ts';
import formatters from './formatters.json' with { type: 'json' };
import { indents, quoteKinds, type FormatJob } from './engine.ts';
import type { FormattedSource } from './format-source.ts';
import texts from '../tools.json' with { type: 'json' };

const inputSchema = z.object({
  ...sourceFields,
  formatter: z
    .string()
    .min(1)
    .max(60)
    .optional()
    .describe(
      'A name you know: black, ruff, prettier, gofmt, rustfmt, sql-formatter … Default: by language, black for Python.',
    ),
  line_length: z
    .int()
    .min(20)
    .max(320)
    .optional()
    .describe(
      'Columns after which a line is broken. Default: the setting `tools.format.line_length`.',
    ),
  indent: z
    .enum(indents)
    .optional()
    .describe('How to indent. Default: as the formatter does. Not for Go, Rust and SQL.'),
  quotes: z
    .enum(quoteKinds)
    .optional()
    .describe(
      'Quotes around strings, where the language has both. Default: as the formatter does.',
    ),
});

const formattedFields = {
  formatted_code: z.string(),
  changes_made: z.int().min(0).describe('Number of lines that changed.'),
  formatter_used: z.string().describe('The engine that did it, with its version.'),
  language: z.enum(languages),
  notes: z.array(z.string()).optional().describe('What to know about the result.'),
};

const failedFileSchema = z.object({
  path: z.string(),
  error: z.object({
    code: z.string(),
    message: z.string(),
    line: z.int().optional(),
    column: z.int().optional(),
  }),
});

const formattedFileSchema = z.object({
  path: z.string(),
  ...formattedFields,
  changed: z.boolean(),
});

type FileReport = z.infer<typeof formattedFileSchema> | z.infer<typeof failedFileSchema>;

const outputSchema = z.object({
  ...z.object(formattedFields).partial().shape,
  changes_made: formattedFields.changes_made,
  files: z
    .array(z.union([formattedFileSchema, failedFileSchema]))
    .optional()
    .describe('One entry per file when the path names several.'),
  changes: z
    .array(z.object({ path: z.string(), content: z.string() }))
    .optional()
    .describe('The changed files of several, as workspace.apply_changes takes them.'),
  totals: z
    .object({ files: z.int(), changed: z.int(), unchanged: z.int(), failed: z.int() })
    .optional(),
  ...leftOutField,
});

type Output = z.infer<typeof outputSchema>;

/** `format_code`: shows how code looks when formatted. It writes no file. */
export function formatCodeTool(context: CodeContext): DefinedTool {
  // Kept: importing again, though it loads nothing, takes as long as all else the tool does beside the engine.
  let format: Promise<FormatSource> | undefined;
  const loadFormat = (): Promise<FormatSource> => (format ??= loadFormatSource(context));
  return defineTool({
    ...texts.format_code,
    input: inputSchema,
    output: outputSchema,
    run: async (input, call) => {
      const { own, tests, leftOut } = await selectSources(input, context, call);
      const files = [...own, ...tests];
      const left = leftOut.length > 0 ? { left_out: reportLeftOut(leftOut) } : {};
      const request = { ...input, context, format: await loadFormat() };
      const [only, ...others] = files;
      if (only && others.length === 0) {
        const isDetected = input.language === undefined && only.path === inlinePath;
        const format = isDetected ? formatDetected : formatFile;
        return { ...(await format(only, request, call)), ...left };
      }
      return { ...summarizeReports(await formatFiles(files, request, call)), ...left };
    },
    summarize,
  });
}

interface FormatRequest {
  readonly formatter?: string | undefined;
  readonly line_length?: number | undefined;
  readonly indent?: FormatJob['indent'];
  readonly quotes?: FormatJob['quotes'];
  readonly context: CodeContext;
  readonly format: FormatSource;
}

type FormatSource = (job: FormatJob) => Promise<FormattedSource>;

async function loadFormatSource(context: CodeContext): Promise<FormatSource> {
  const { createFormatEngines, formatSource } = await import('./format-source.ts');
  const engines = createFormatEngines();
  return (job) => formatSource(job, engines, context);
}

type FormattedFile = z.infer<z.ZodObject<typeof formattedFields>>;

const maxTriedLanguages = 3;
/** Nearly any text is valid in these: broken code of another language must not pass as one of them. */
const tolerant: ReadonlySet<string> = new Set(['html', 'css']);

/** Tries the likeliest languages in turn; if none accepts the text, the error of the first is thrown. */
async function formatDetected(
  file: SourceFile,
  request: FormatRequest,
  call: CallContext,
): Promise<FormattedFile> {
  const errors: unknown[] = [];
  const candidates = likelyLanguages(file.text).filter(
    (language, rank) => rank === 0 || !tolerant.has(language),
  );
  for (const language of candidates.slice(0, maxTriedLanguages)) {
    try {
      return await formatFile({ ...file, language }, request, call);
    } catch (error) {
      call.signal.throwIfAborted();
      errors.push(error);
      const mayBeOther = error instanceof CodeSyntaxError || errors.length > 1;
      if (!mayBeOther) throw error;
    }
  }
  throw errors[0];
}

async function formatFile(
  file: SourceFile,
  request: FormatRequest,
  call: CallContext,
): Promise<FormattedFile> {
  const choice = chooseFormatter(request.formatter, file.language);
  if (choice.kind !== 'chosen') {
    const canDo = choice.kind === 'unfit' ? choice.canDo : [];
    throw new UnfitFormatterError(request.formatter ?? '', file, {
      canDo,
      names: formatterNames[file.language],
    });
  }
  const lineLength = request.line_length ?? request.context.settings.lineLength;
  const { indent, quotes } = request;
  const how = { formatter: choice.formatter, lineLength, indent, quotes };
  const formatted = await request.format({ file, ...how, signal: call.signal });
  const isFixed = indent !== undefined && fixedIndent.has(file.language);
  const notes = [
    ...(choice.note === undefined ? [] : [choice.note]),
    ...(isFixed ? ['the formatter of this language decides the indentation itself'] : []),
    ...formatted.notes,
  ];
  return {
    formatted_code: formatted.text,
    changes_made: formatted.changedLines,
    formatter_used: formatted.engine,
    language: file.language,
    ...(notes.length > 0 ? { notes } : {}),
  };
}

const fixedIndent: ReadonlySet<string> = new Set(['go', 'rust', 'sql']);

async function formatFiles(
  files: readonly SourceFile[],
  request: FormatRequest,
  call: CallContext,
): Promise<FileReport[]> {
  const reports: FileReport[] = [];
  for (const file of files) {
    call.signal.throwIfAborted();
    call.progress({ progress: reports.length, total: files.length, message: file.path });
    reports.push(await reportFile(file, request, call));
  }
  call.progress({ progress: files.length, total: files.length, message: 'done' });
  return reports;
}

/** One file's failure is part of the answer: the others are still formatted. */
async function reportFile(
  file: SourceFile,
  request: FormatRequest,
  call: CallContext,
): Promise<FileReport> {
  try {
    const formatted = await formatFile(file, request, call);
    return { path: file.path, ...formatted, changed: formatted.formatted_code !== file.text };
  } catch (error) {
    call.signal.throwIfAborted();
    return failedReport(file.path, error);
  }
}

function failedReport(path: string, error: unknown): FileReport {
  const { code, message, details } = reportError(error);
  return { path, error: { code, message, ...placeSchema.safeParse(details).data } };
}

function summarizeReports(reports: FileReport[]): Output {
  const formatted = reports.filter((report) => 'changed' in report);
  const changes = formatted
    .filter((report) => report.changed)
    .map(({ path, formatted_code: content }) => ({ path, content }));
  return {
    changes_made: formatted.reduce((sum, report) => sum + report.changes_made, 0),
    files: reports,
    changes,
    totals: {
      files: reports.length,
      changed: changes.length,
      unchanged: formatted.length - changes.length,
      failed: reports.length - formatted.length,
    },
  };
}

const placeSchema = z.object({ line: z.int(), column: z.int() });

function summarize(output: Output): string {
  if (!output.files) return output.formatted_code ?? '';
  const lines = output.files.map((file) => {
    if ('error' in file) return file.error.message;
    return `${file.path}: ${file.changed ? pluralize(file.changes_made, 'changed line') : 'unchanged'}`;
  });
  const { changed = 0, unchanged = 0, failed = 0 } = output.totals ?? {};
  const totals = `${changed} changed, ${unchanged} unchanged, ${failed} failed`;
  return [...lines, totals, ...describeLeftOut(output.left_out ?? [])].join('\n');
}

const tableSchema = z.record(z.string(), z.string()).transform((table) => lookupTable(table));
const data = z
  .strictObject({
    names: z.record(z.enum(languages), z.array(z.string())),
    differences: tableSchema,
    spellings: tableSchema,
  })
  .parse(formatters);

/**
 * Formatter names per language, the default first. A name whose program is not bundled runs the
 * language's engine; the result then says what differs.
 */
export const formatterNames: Readonly<Record<Language, readonly string[]>> = data.names;

type FormatterChoice =
  | { readonly kind: 'chosen'; readonly formatter: string; readonly note: string | undefined }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unfit'; readonly canDo: readonly Language[] };

/** The formatter for a language: the one named, in any spelling of it, or the language's default. */
function chooseFormatter(name: string | undefined, language: Language): FormatterChoice {
  const names = formatterNames[language];
  const formatter = name === undefined ? (names[0] ?? '') : normalise(name);
  if (names.includes(formatter)) {
    return { kind: 'chosen', formatter, note: data.differences[formatter] };
  }
  const canDo = languages.filter((other) => formatterNames[other].includes(formatter));
  return canDo.length === 0 ? { kind: 'unknown' } : { kind: 'unfit', canDo };
}

function normalise(name: string): string {
  const lower = name.trim().toLowerCase();
  const dashed = lower.replaceAll('_', '-');
  return data.spellings[lower] ?? data.spellings[dashed] ?? dashed;
}
