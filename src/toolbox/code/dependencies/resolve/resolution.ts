import type { ImportReference, ModuleFile } from '../import-reference.ts';

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
