import type { Parser, Plugin } from 'prettier';
import type { SourceFile } from '../source-files.ts';
import { CodeSyntaxError, syntaxError } from '../errors.ts';
import { placeOfOffset, TextPositions } from '../text-positions.ts';
import { optionalEndTags, withEndTags } from './html-end-tags.ts';
import { ownPlugins, parseWith, prettierStyle, prettierVersion, runPrettier } from './prettier.ts';
import type { FormatEngine } from './engine.ts';

const htmlPlugins = ['html', 'babel', 'estree', 'postcss', 'typescript'] as const;

/** HTML by Prettier, with the scripts and styles in it, after omitted end tags were written out. */
export const formatHtml: FormatEngine = async (job) => {
  const { file } = job;
  const explicit = await checkHtml(file);
  const [html, ...embedded] = await ownPlugins(htmlPlugins);
  const notes: string[] = [];
  const text = await runPrettier(explicit, {
    parser: 'html',
    plugins: [
      ...(html ? [html] : []),
      ...embedded.map((plugin) => withNotes(plugin, explicit, notes)),
    ],
    ...prettierStyle(job),
  });
  return {
    text,
    engine: `prettier ${prettierVersion()}`,
    notes: [...new Set(notes)],
    guard: 'html',
  };
};

/**
 * The file with all end tags written out. Throws `CodeSyntaxError` with the position in the file
 * itself; for a part that never ends, with its start: the parser only sees the end of the text.
 * Prettier closes at the end of the document what was left open; here an element whose end tag may
 * not be omitted is an error.
 */
export async function checkHtml(file: SourceFile): Promise<SourceFile> {
  const { text, originalOffset, unclosed } = withEndTags(file.text);
  const explicit = { ...file, text };
  try {
    const element = findUnclosedElement(await parseHtml(explicit));
    if (!element) return explicit;
    const message = `Element "${element.name}" is never closed`;
    throw syntaxError(file, placeOfOffset(text, element.offset), message);
  } catch (error) {
    if (!(error instanceof CodeSyntaxError)) throw error;
    const { line, column, message } = error.problem;
    if (unclosed) {
      throw syntaxError(file, placeOfOffset(file.text, unclosed.offset), unclosed.message);
    }
    const offset = originalOffset(new TextPositions(text).offset(line, column));
    throw syntaxError(file, placeOfOffset(file.text, offset), message);
  }
}

/** The fields used of a node of Prettier's HTML tree. */
interface HtmlNode {
  readonly kind?: string;
  readonly name?: string;
  readonly isVoid?: boolean;
  readonly isSelfClosing?: boolean;
  readonly children?: readonly HtmlNode[];
  readonly endSourceSpan?: unknown;
  readonly sourceSpan?: {
    readonly start: { readonly offset: number };
    readonly end: { readonly offset: number };
  };
}

export async function parseHtml(file: SourceFile): Promise<HtmlNode> {
  // The parser is typed `any`; it returns a root node with children.
  return (await parseWith('html', file)) as HtmlNode;
}

/** The first element, in the order of the text, that is open at the end though it must be closed. */
function findUnclosedElement(root: HtmlNode): { name: string; offset: number } | undefined {
  const open: HtmlNode[] = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    const { kind, name = '', endSourceSpan, isVoid = false, isSelfClosing = false } = node;
    const isOpen = kind === 'element' && endSourceSpan === null && !isVoid && !isSelfClosing;
    if (isOpen && !optionalEndTags.has(name.toLowerCase())) {
      return { name, offset: node.sourceSpan?.start.offset ?? 0 };
    }
    for (const child of node.children?.toReversed() ?? []) open.push(child);
  }
  return undefined;
}

const maxNotes = 20;

/** Prettier leaves an embedded text alone when it is invalid and says nothing; this takes note of it. */
function withNotes(plugin: Plugin, file: SourceFile, notes: string[]): Plugin {
  const noting = (parser: Parser): Parser => ({
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
  });
  const parsers = Object.entries(plugin.parsers ?? {});
  return {
    ...plugin,
    parsers: Object.fromEntries(parsers.map(([name, parser]) => [name, noting(parser)])),
  };
}

const maxTagLength = 1_000;

/** Whether a script or style element starts just before: what is in attributes is not worth a note. */
function isElementText(text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - maxTagLength), offset).trimEnd();
  return (
    /^<(?:script|style)\b/i.test(before.slice(before.lastIndexOf('<'))) && before.endsWith('>')
  );
}
