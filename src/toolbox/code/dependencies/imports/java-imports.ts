import type { FileImports, ImportReference } from '../import-reference.ts';
import { lineOf, type QueriedTrees } from './queried-trees.ts';

const pattern = `
  (package_declaration (_) @package)
  (import_declaration) @import
  (type_identifier) @type
  (method_invocation object: (identifier) @type)
  (field_access object: (identifier) @type)
`;

/** Imports, the package, and the names of types used: those of the same package need no import. */
export async function readJavaImports(trees: QueriedTrees, text: string): Promise<FileImports> {
  return trees.query({ grammar: 'java', pattern, text }, (captures) => {
    const references: ImportReference[] = [];
    const typeNames = new Map<string, number>();
    let packageName = '';
    for (const { name, node } of captures) {
      const line = lineOf(node);
      if (name === 'package') packageName = node.text.replaceAll(/\s/g, '');
      else if (name === 'import') references.push({ specifier: importedName(node.text), line });
      else if (!typeNames.has(node.text)) typeNames.set(node.text, line);
    }
    return { references, packageName, typeNames };
  });
}

/** `import static a.B.c;` → `a.B.c`. */
function importedName(statement: string): string {
  return statement
    .replace(/^import\s+(static\s+)?/, '')
    .replace(/;$/, '')
    .replaceAll(/\s/g, '');
}
