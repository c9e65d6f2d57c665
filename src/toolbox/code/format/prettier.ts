import type { Options, Plugin } from 'prettier';
import { z } from 'zod';
import { syntaxError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import { packageVersion, type FormatJob } from './engine.ts';

/** Names of the plugins inside Prettier's own package. */
type OwnPlugin = 'babel' | 'estree' | 'typescript' | 'postcss' | 'html';

export function prettierVersion(): string {
  return packageVersion('prettier');
}

export async function ownPlugins(names: readonly OwnPlugin[]): Promise<Plugin[]> {
  return Promise.all(names.map((name) => loaders[name]()));
}

const loaders: Readonly<Record<OwnPlugin, () => Promise<Plugin>>> = {
  babel: () => import('prettier/plugins/babel'),
  // Declared without a type in Prettier's package; it holds the printer every plugin has.
  estree: async () => (await import('prettier/plugins/estree')) as Plugin,
  typescript: () => import('prettier/plugins/typescript'),
  postcss: () => import('prettier/plugins/postcss'),
  html: () => import('prettier/plugins/html'),
};

/** What a job says about the looks of the result, in Prettier's words. */
export function prettierStyle({ lineLength, indent, quotes }: FormatJob): Options {
  const spaces = Number.parseInt(indent ?? '', 10);
  return {
    printWidth: lineLength,
    ...(indent === 'tabs' && { useTabs: true }),
    ...(spaces > 0 && { tabWidth: spaces }),
    ...(quotes !== undefined && { singleQuote: quotes === 'single quotes' }),
  };
}

/**
 * Runs Prettier's stand-alone build, which touches no file: no settings of a project can reach it.
 * Its report of invalid input becomes a `CodeSyntaxError`.
 */
export async function runPrettier(file: SourceFile, options: Options): Promise<string> {
  const prettier = await import('prettier/standalone');
  try {
    return await prettier.format(file.text, { filepath: file.path, endOfLine: 'lf', ...options });
  } catch (error) {
    throw fromPrettierError(file, error);
  }
}

const located = z.object({
  message: z.string(),
  loc: z.object({ start: z.object({ line: z.number(), column: z.number() }) }),
});

/** Prettier marks the place of a syntax error by `loc`; what has none is not about the syntax. */
export function fromPrettierError(file: SourceFile, error: unknown): unknown {
  const problem = located.safeParse(error);
  if (!problem.success) return error;
  const { line, column } = problem.data.loc.start;
  const message = problem.data.message
    .replace(/\n.*$/s, '')
    .replace(/ \(\d+:\d+\)$/, '')
    .replace(/^CssSyntaxError: /, '')
    .replace(/ For more info see http\S+/, '');
  return syntaxError(file, { line: Math.max(line, 1), column: Math.max(column, 1) }, message);
}

/** What Prettier's own parser makes of a valid text. */
export async function parseWith(name: 'html' | 'css', file: SourceFile): Promise<unknown> {
  const [plugin] = await ownPlugins([name === 'html' ? 'html' : 'postcss']);
  const parser = plugin?.parsers?.[name];
  try {
    // Of the options these two parsers read but the file's path, which plays no part here.
    return await parser?.parse(file.text, { filepath: file.path } as Parameters<
      typeof parser.parse
    >[1]);
  } catch (error) {
    throw fromPrettierError(file, error);
  }
}
