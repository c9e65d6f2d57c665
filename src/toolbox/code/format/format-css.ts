import type { ParseOptions } from 'css-tree';
import { z } from 'zod';
import { syntaxError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import type { FormatEngine } from './engine.ts';
import { ownPlugins, parseWith, prettierStyle, prettierVersion, runPrettier } from './prettier.ts';
import { placeOfOffset } from '../text-positions.ts';

/** CSS by Prettier, once it is known to be valid. */
export const formatCss: FormatEngine = async (job) => {
  const { file } = job;
  await checkCss(file);
  const text = await runPrettier(file, {
    parser: 'css',
    plugins: await ownPlugins(['postcss']),
    ...prettierStyle(job),
  });
  return { text, engine: `prettier ${prettierVersion()}`, guard: 'css' };
};

/** PostCSS pairs brackets and quotes but takes any text for a selector; css-tree reads those. */
export async function checkCss(file: SourceFile): Promise<void> {
  // The parser is typed `any`; it returns a root node with children.
  const root = (await parseWith('css', file)) as PostcssNode;
  const { parse } = await import('css-tree');
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    const problem = problemIn(node, parse);
    if (problem) {
      const offset = (node.source?.startOffset ?? 0) + problem.offset;
      throw syntaxError(file, placeOfOffset(file.text, offset), problem.message);
    }
    // A custom property may hold any block.
    if (isCustom(node)) continue;
    for (const child of node.nodes?.toReversed() ?? []) open.push(child);
  }
}

/** The fields used of a node of Prettier's CSS tree. */
interface PostcssNode {
  readonly type?: string;
  readonly name?: string;
  readonly prop?: string;
  readonly raws?: {
    readonly selector?: string;
    readonly value?: string;
    readonly params?: string;
  };
  readonly source?: { readonly startOffset: number };
  readonly nodes?: readonly PostcssNode[];
}

/** Offset from the start of the node. */
interface CssProblem {
  readonly offset: number;
  readonly message: string;
}

const atRuleWithBlock = /^(?:media|supports|font-face|(?:-\w+-)?keyframes|page)$/i;
const atRuleWithParameters = /^(?:import|charset|namespace)$/i;

function problemIn(node: PostcssNode, parse: ParseSelector): CssProblem | undefined {
  const { type, name = '', prop = '', raws = {} } = node;
  const isBare = (text = ''): boolean => text.trim() === '';
  if (isCustom(node)) return undefined;
  if (type === 'css-rule') return selectorProblem(raws.selector ?? '', parse);
  if (type === 'css-decl') {
    if (isBare(raws.value)) return { offset: prop.length + 1, message: 'Expected a value' };
    return raws.value?.endsWith('!')
      ? { offset: 0, message: 'Expected "important" behind "!"' }
      : undefined;
  }
  if (type !== 'css-atrule') return undefined;
  const lacksBlock = atRuleWithBlock.test(name) && !node.nodes;
  if (lacksBlock) return { offset: 0, message: `Expected a block behind "@${name}"` };
  const lacksParameters = atRuleWithParameters.test(name) && isBare(raws.params);
  return lacksParameters ? { offset: 0, message: `Expected more behind "@${name}"` } : undefined;
}

function isCustom({ prop, raws }: PostcssNode): boolean {
  return prop?.startsWith('--') === true || raws?.selector?.startsWith('--') === true;
}

type ParseSelector = (text: string, options: ParseOptions) => unknown;

/** A nested selector may start with a combinator; none may end with one, or with a comma. */
function selectorProblem(selector: string, parse: ParseSelector): CssProblem | undefined {
  const text = selector.replace(/^[>+~]/, ' ');
  try {
    parse(text, { context: 'selectorList' });
  } catch (error) {
    return parseErrorSchema.parse(error);
  }
  const offset = text.search(/[>+~,]\s*(?:,|$)|^\s*$/);
  return offset < 0 ? undefined : { offset, message: 'Expected a selector' };
}

const parseErrorSchema = z.object({ offset: z.number(), message: z.string() });
