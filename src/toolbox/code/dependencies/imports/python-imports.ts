import type { Node } from 'web-tree-sitter';
import type { FileImports, ImportReference } from '../import-reference.ts';
import { lineOf, type Capture, type QueriedTrees } from './queried-trees.ts';

const pattern = `
  (import_statement) @import
  (import_from_statement) @from
  (if_statement condition: (_) @condition consequence: (block) @block)
`;

/** `import a.b`, `from .a import b`; wherever they stand, also inside functions. */
export async function readPythonImports(trees: QueriedTrees, text: string): Promise<FileImports> {
  const references = await trees.query({ grammar: 'python', pattern, text }, (captures) => {
    const typing = typeCheckingBlocks(captures);
    return captures.flatMap(({ name, node }): ImportReference[] => {
      if (name !== 'import' && name !== 'from') return [];
      const isType = typing.some(
        ({ start, end }) => start <= node.startIndex && node.endIndex <= end,
      );
      const found = name === 'from' ? [readFrom(node)] : readImport(node);
      return isType ? found.map((reference) => ({ ...reference, kind: 'type' })) : found;
    });
  });
  return { references };
}

/** What stands under `if TYPE_CHECKING:` is never executed. */
function typeCheckingBlocks(captures: readonly Capture[]): { start: number; end: number }[] {
  let condition = '';
  return captures.flatMap(({ name, node }) => {
    if (name === 'condition') condition = node.text;
    const isTyping = name === 'block' && /^(?:[\w.]*\.)?TYPE_CHECKING$/.test(condition);
    return isTyping ? [{ start: node.startIndex, end: node.endIndex }] : [];
  });
}

function readImport(node: Node): ImportReference[] {
  return namesOf(node).map((specifier) => ({ specifier, line: lineOf(node) }));
}

function readFrom(node: Node): ImportReference {
  const specifier = (node.childForFieldName('module_name')?.text ?? '').replaceAll(/\s/g, '');
  return { specifier, names: namesOf(node), line: lineOf(node) };
}

function namesOf(node: Node): string[] {
  return node.childrenForFieldName('name').flatMap((child) => {
    const name = child?.type === 'aliased_import' ? child.childForFieldName('name') : child;
    return name ? [name.text.replaceAll(/\s/g, '')] : [];
  });
}
