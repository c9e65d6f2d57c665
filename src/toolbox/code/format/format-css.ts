import type { CssNode } from 'css-tree';
import { syntaxError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import type { FormatEngine } from './engine.ts';
import { ownPlugins, parseWith, prettierVersion, runPrettier } from './prettier.ts';
import { placeOfOffset } from './text-place.ts';

/** CSS by Prettier, once it is known to be valid. */
export const formatCss: FormatEngine = async ({ file, lineLength }) => {
  await checkCss(file);
  const text = await runPrettier(file, {
    parser: 'css',
    plugins: await ownPlugins(['postcss']),
    printWidth: lineLength,
  });
  return { text, engine: `prettier ${prettierVersion()}`, guard: 'css' };
};

/** PostCSS pairs brackets and quotes but takes any text for a selector; css-tree reads those. */
export async function checkCss(file: SourceFile): Promise<void> {
  await parseWith('css', file);
  const { parse, walk } = await import('css-tree');
  const problems: CssProblem[] = [];
  const root = parse(file.text, {
    positions: true,
    // Values may hold what only old browsers understand.
    parseValue: false,
    onParseError: ({ offset, message }) => problems.push({ offset, message }),
  });
  walk(root, (node) => {
    const message = mistakeIn(node);
    if (message !== undefined) problems.push({ offset: node.loc?.end.offset ?? 0, message });
  });
  const [first] = problems.sort((a, b) => a.offset - b.offset);
  if (first) throw syntaxError(file, placeOfOffset(file.text, first.offset), first.message);
}

interface CssProblem {
  readonly offset: number;
  readonly message: string;
}

/** What is missing at the end of a node that css-tree accepts. */
function mistakeIn(node: CssNode): string | undefined {
  if (node.type === 'Selector' && node.children.last?.type === 'Combinator') {
    return 'Expected a selector behind the combinator';
  }
  if (node.type === 'Declaration' && node.value.type === 'Raw') {
    const isEmpty = node.value.value.trim() === '' && !node.property.startsWith('--');
    return isEmpty ? 'Expected a value' : undefined;
  }
  if (node.type !== 'Atrule') return undefined;
  const { name, block, prelude } = node;
  if (!block && atRuleWithBlock.test(name)) return `Expected a block behind "@${name}"`;
  const isBare = !prelude && /^(?:import|charset|namespace)$/i.test(name);
  return isBare ? `Expected more behind "@${name}"` : undefined;
}

const atRuleWithBlock = /^(?:media|supports|font-face|(?:-\w+-)?keyframes|page)$/i;
