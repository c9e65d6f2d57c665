import type { Parser, Plugin } from 'prettier';
import type { SourceFile } from '../source-files.ts';
import { CodeSyntaxError, syntaxError } from '../errors.ts';
import { TextPositions } from '../text-positions.ts';
import type { FormatEngine } from './engine.ts';
import { findUnclosedElement, type HtmlNode } from './html-elements.ts';
import { withEndTags } from './html-end-tags.ts';
import { ownPlugins, parseWith, prettierVersion, runPrettier } from './prettier.ts';
import { placeOfOffset } from './text-place.ts';

const htmlPlugins = ['html', 'babel', 'estree', 'postcss', 'typescript'] as const;

/**
 * HTML by Prettier, with the scripts and styles in it. End tags that were omitted are written out
 * before. Prettier closes at the end of the document what was left open; here an element whose end
 * tag may not be omitted is an error.
 */
export const formatHtml: FormatEngine = async ({ file, lineLength }) => {
  const [html, ...embedded] = await ownPlugins(htmlPlugins);
  const notes: string[] = [];
  const text = await withExplicitTags(file, (explicit) =>
    runPrettier(explicit, {
      parser: 'html',
      plugins: [
        ...(html ? [withCheckedElements(html, explicit)] : []),
        ...embedded.map((plugin) => withNotes(plugin, explicit, notes)),
      ],
      printWidth: lineLength,
    }),
  );
  return {
    text,
    engine: `prettier ${prettierVersion()}`,
    notes: [...new Set(notes)],
    guard: 'html',
  };
};

/**
 * Works on the text with all end tags written out. A syntax error is told at its place in the file
 * itself; of something that never ends, where it starts: the parser only sees the end of the text.
 */
export async function withExplicitTags<Result>(
  file: SourceFile,
  work: (explicit: SourceFile) => Promise<Result>,
): Promise<Result> {
  const { text, originalOffset, unclosed } = withEndTags(file.text);
  try {
    return await work({ ...file, text });
  } catch (error) {
    if (!(error instanceof CodeSyntaxError)) throw error;
    const { line, column, message } = error.problem;
    if (unclosed)
      throw syntaxError(file, placeOfOffset(file.text, unclosed.offset), unclosed.message);
    const offset = originalOffset(new TextPositions(text).offset(line, column));
    throw syntaxError(file, placeOfOffset(file.text, offset), message);
  }
}

/** Prettier's HTML plugin with a parser that also looks at what it parsed: no second parse is needed. */
function withCheckedElements(plugin: Plugin, file: SourceFile): Plugin {
  return mapParsers(plugin, (parser) => ({
    ...parser,
    parse: async (text, options) => {
      // The parser is typed `any`; a root node with children is what it makes.
      const root = (await parser.parse(text, options)) as HtmlNode;
      if (text === file.text) assertClosedElements(root, file);
      return root;
    },
  }));
}

export async function parseHtml(file: SourceFile): Promise<HtmlNode> {
  // The parser is typed `any`; a root node with children is what it makes.
  return (await parseWith('html', file)) as HtmlNode;
}

export function assertClosedElements(root: HtmlNode, file: SourceFile): void {
  const unclosed = findUnclosedElement(root);
  if (!unclosed) return;
  const place = placeOfOffset(file.text, unclosed.offset);
  throw syntaxError(file, place, `Element "${unclosed.name}" is never closed`);
}

const maxNotes = 20;

/** Prettier leaves an embedded text alone when it is invalid and says nothing; this takes note of it. */
function withNotes(plugin: Plugin, file: SourceFile, notes: string[]): Plugin {
  return mapParsers(plugin, (parser) => ({
    ...parser,
    parse: async (text, options) => {
      try {
        return await parser.parse(text, options);
      } catch (error) {
        const offset = text.trim() === '' ? -1 : file.text.indexOf(text);
        if (offset >= 0 && isElementText(file.text, offset) && notes.length < maxNotes) {
          const { line } = placeOfOffset(file.text, offset);
          notes.push(`What is embedded at line ${line} was left as it is: it could not be parsed`);
        }
        throw error;
      }
    },
  }));
}

const maxTagLength = 1_000;

/** Whether a script or style element starts just before: what is in attributes is not worth a note. */
function isElementText(text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - maxTagLength), offset).trimEnd();
  return (
    /^<(?:script|style)\b/i.test(before.slice(before.lastIndexOf('<'))) && before.endsWith('>')
  );
}

function mapParsers(plugin: Plugin, change: (parser: Parser) => Parser): Plugin {
  const parsers = Object.entries(plugin.parsers ?? {});
  return {
    ...plugin,
    parsers: Object.fromEntries(parsers.map(([name, parser]) => [name, change(parser)])),
  };
}
