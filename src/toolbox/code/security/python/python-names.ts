import type { Node } from 'web-tree-sitter';
import { partsOf } from '../walk-syntax-tree.ts';
import { unwrap } from './python-values.ts';

const maxNameParts = 64;

/** One imported thing: `full` is its dotted name, `plain` the part named in the statement. */
export interface ImportedName {
  readonly full: string;
  readonly plain: string;
}

/**
 * What names mean at the current place of a walk: imports seen so far, wherever they stand. A name
 * is resolved by the last import of it, not by scope.
 */
export class PythonNames {
  readonly #aliases = new Map<string, string>();
  readonly #imports = new Set<string>();

  /** Remembers an import statement; returns what it imports. */
  addImport(statement: Node): readonly ImportedName[] {
    const module = moduleOf(statement);
    const imported: ImportedName[] = [];
    for (const entry of statement.childrenForFieldName('name')) {
      const isAliased = entry.type === 'aliased_import';
      const plain = (isAliased ? entry.childForFieldName('name')?.text : entry.text) ?? '';
      const alias = isAliased ? entry.childForFieldName('alias')?.text : undefined;
      const full = module === '' ? plain : `${module}.${plain}`;
      if (alias !== undefined) this.#aliases.set(alias, full);
      else if (module !== '') this.#aliases.set(plain, full);
      this.#imports.add(full);
      imported.push({ full, plain });
    }
    if (partsOf(statement).some((part) => part.type === 'wildcard_import')) {
      this.#imports.add(`${module}.*`);
      imported.push({ full: `${module}.*`, plain: '*' });
    }
    return imported;
  }

  hasImport(name: string): boolean {
    return this.#imports.has(name);
  }

  /** True when some import's dotted name contains `part`. */
  hasImportLike(part: string): boolean {
    for (const name of this.#imports) if (name.includes(part)) return true;
    return false;
  }

  /** The dotted name of a function as far as it is written; what is computed counts as empty. */
  resolve(expression: Node): string {
    const parts: string[] = [];
    let node = unwrap(expression);
    while (node.type === 'attribute' && parts.length < maxNameParts) {
      parts.unshift(node.childForFieldName('attribute')?.text ?? '');
      const object = node.childForFieldName('object');
      if (!object) break;
      node = unwrap(object);
    }
    let name = node.type === 'identifier' ? (this.#aliases.get(node.text) ?? node.text) : '';
    for (const part of parts) {
      name = `${name}.${part}`;
      name = this.#aliases.get(name) ?? name;
    }
    return name;
  }
}

/** The module of `from … import`, without leading dots; empty for a plain import. */
function moduleOf(statement: Node): string {
  const module = statement.childForFieldName('module_name');
  if (!module) return '';
  if (module.type !== 'relative_import') return module.text;
  return partsOf(module).find((part) => part.type === 'dotted_name')?.text ?? '';
}
