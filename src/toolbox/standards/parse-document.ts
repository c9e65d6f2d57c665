import {
  LineCounter,
  isNode,
  parseDocument as parseYaml,
  type Document as YamlDocument,
} from 'yaml';
import { z } from 'zod';

/** A file of the standards, built in or of the project, before it is parsed. */
export interface StandardsFile {
  /** Path inside its folder with forward slashes: `python.md`, `prompts/architect.md`. */
  readonly path: string;
  readonly text: string;
}

/** A file in the project's folder that cannot be used; what is built in is served meanwhile. */
export interface OverrideProblem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** `{{name}}` and `{{name|fence}}`; the latter puts the value into a code fence. */
export const placeholderPattern = /\{\{\s{0,9}([A-Za-z][A-Za-z0-9_-]{0,63})(\|fence)?\s{0,9}\}\}/g;

const name = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'a name of letters, digits, _ and -');

const argumentSchema = z.strictObject({
  name,
  description: z.string().default(''),
  required: z.boolean().default(false),
  default: z.string().default(''),
  /** Offered by completion; the only ones allowed when `strict`. */
  values: z.array(z.string()).default([]),
  strict: z.boolean().default(false),
});

const frontMatterSchema = z.strictObject({
  title: z.string().min(1).optional(),
  description: z.string().optional(),
  arguments: z.array(argumentSchema).optional(),
  embeds: z.array(z.string()).optional(),
});

/** A Markdown file: a text to read, or a prompt to fill in when it has parameters. */
export interface Document {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly body: string;
  readonly file: string;
  readonly isOverride: boolean;
  readonly parameters: readonly z.output<typeof argumentSchema>[];
  /** Resources that go along with a prompt; may contain placeholders. */
  readonly embeds: readonly string[];
}

export type ParsedDocument =
  | { readonly kind: 'text' | 'prompt'; readonly document: Document }
  | { readonly kind: 'malformed'; readonly problem: OverrideProblem };

/**
 * A Markdown file with optional front matter (title, description, arguments, embeds). It is a prompt
 * when it has arguments or `{{placeholders}}`; undeclared placeholders are required arguments.
 */
export function parseDocument(file: StandardsFile, isOverride: boolean): ParsedDocument {
  const stem = file.path.replace(/^.*\//, '').replace(/\.md$/, '');
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(stem)) {
    return malformed(file, 1, 'its name may have lower-case letters, digits, _ and - only');
  }
  const parts = splitFrontMatter(file.text);
  if (!parts) return malformed(file, 1, 'the front matter that starts with --- never ends');
  const read = readYaml(parts.frontMatter, frontMatterSchema);
  if (read.kind === 'malformed') return malformed(file, read.line + 1, read.message);
  const { title, description, arguments: declared = [], embeds = [] } = read.value;
  if (parts.body.trim() === '') return malformed(file, 1, 'it has no text');
  const used = placeholdersOf([parts.body, ...embeds].join('\n'));
  const known = new Set(declared.map((argument) => argument.name));
  const extra = used
    .filter((one) => !known.has(one))
    .map((one) => argumentSchema.parse({ name: one, required: true }));
  const parameters = [...declared, ...extra];
  const document = {
    name: stem,
    title: title ?? headingOf(parts.body) ?? stem,
    description: description ?? '',
    body: `${parts.body.trim()}\n`,
    file: file.path,
    isOverride,
    parameters,
    embeds,
  };
  return { kind: parameters.length > 0 ? 'prompt' : 'text', document };
}

function malformed(file: StandardsFile, line: number, message: string): ParsedDocument {
  return { kind: 'malformed', problem: { file: file.path, line, message } };
}

function splitFrontMatter(text: string): { frontMatter: string; body: string } | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') return { frontMatter: '', body: lines.join('\n') };
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end < 0) return undefined;
  return { frontMatter: lines.slice(1, end).join('\n'), body: lines.slice(end + 1).join('\n') };
}

function headingOf(body: string): string | undefined {
  return /^# (.+)$/m.exec(body)?.[1]?.trim();
}

/** Names in order of first use. */
function placeholdersOf(body: string): string[] {
  return [...new Set([...body.matchAll(placeholderPattern)].map((match) => match[1] ?? ''))];
}

export type ReadYaml<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  | { readonly kind: 'malformed'; readonly line: number; readonly message: string };

/** Parses YAML (or JSON, which is YAML) against a schema; problems come with the line they stand in. */
export function readYaml<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
): ReadYaml<z.output<Schema>> {
  const counter = new LineCounter();
  try {
    const document = parseYaml(text, { lineCounter: counter, prettyErrors: false });
    const [error] = document.errors;
    if (error) {
      const { line } = counter.linePos(error.pos[0]);
      return { kind: 'malformed', line, message: error.message };
    }
    const parsed = schema.safeParse(document.toJS({ maxAliasCount: 100 }) ?? {});
    if (parsed.success) return { kind: 'read', value: parsed.data };
    const [issue] = parsed.error.issues;
    const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
    const path = [...(issue?.path ?? []), ...unknown];
    return {
      kind: 'malformed',
      line: lineOf(document, path, counter),
      message: `${path.length > 0 ? `${path.join('.')}: ` : ''}${issue?.message}`,
    };
  } catch (error) {
    // Deep nesting and abuse of aliases end here.
    const message = error instanceof Error ? error.message : 'no YAML';
    return { kind: 'malformed', line: 1, message };
  }
}

/** The line of the innermost part of a path that exists in the text. */
function lineOf(
  document: YamlDocument,
  path: readonly PropertyKey[],
  counter: LineCounter,
): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return counter.linePos(node.range[0]).line;
  }
  return 1;
}
