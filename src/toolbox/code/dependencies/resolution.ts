import type { Language } from '../language.ts';

/** Where an import leads. */
export type Resolution =
  | { readonly kind: 'internal'; readonly ids: readonly string[] }
  | { readonly kind: 'external'; readonly name: string; readonly isStandard: boolean }
  | { readonly kind: 'unresolved' }
  /** It names something that is no part of the graph, such as a picture. */
  | { readonly kind: 'ignored' };

export type Resolver = (file: ModuleFile, reference: ImportReference) => Resolution;

/** A project file that tells how names map to folders. */
export interface ProjectFile {
  readonly name: string;
  readonly absoluteFolder: string;
  readonly text: string;
}

/** What resolvers know about the folder under analysis. */
export interface Project {
  /** The analysed folder, absolute. */
  readonly root: string;
  readonly files: readonly ModuleFile[];
  readonly projectFiles: readonly ProjectFile[];
  /** Is there a file of that id on disk, of whatever kind? */
  readonly exists: (id: string) => boolean;
}

export function internal(ids: readonly string[]): Resolution {
  return { kind: 'internal', ids };
}

export function external(name: string, isStandard = false): Resolution {
  return { kind: 'external', name, isStandard };
}

export const unresolved: Resolution = { kind: 'unresolved' };

export const ignored: Resolution = { kind: 'ignored' };

/** One mention of another module in a file, as written there. Lines start at 1. */
export interface ImportReference {
  /** A path, a dotted or `::` name; for Python's `from a import b` it is `a` with `names: ['b']`. */
  readonly specifier: string;
  readonly line: number;
  readonly names?: readonly string[];
  /** `import` when absent. */
  readonly kind?: ImportKind;
}

/**
 * `import`: needed when the program runs. `type`: needed by the type checker alone. `declaration`:
 * contains the other file rather than needing it (`mod x;` in Rust). Only the first makes cycles.
 */
export type ImportKind = 'import' | 'type' | 'declaration';

/** What one file says about itself and others. */
export interface FileImports {
  readonly references: readonly ImportReference[];
  /** Java's package of the file. */
  readonly packageName?: string;
  /** Java's type names used in the file with the line of first use: same-package types need no import. */
  readonly typeNames?: ReadonlyMap<string, number>;
}

/** A file of the folder under analysis; `id` is its path inside the folder, with forward slashes. */
export interface ModuleFile {
  readonly id: string;
  readonly language: Language;
  readonly imports: FileImports;
}
