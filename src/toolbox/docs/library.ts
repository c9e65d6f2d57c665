import type { SyntaxTrees } from '../code/syntax-tree.ts';

export const ecosystems = ['npm', 'pypi', 'go'] as const;

export type Ecosystem = (typeof ecosystems)[number];

/** A package that is installed, before anything of it was read. */
export interface InstalledPackage {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  /** Known from its folder's name or the manifest, or read from the package itself. */
  readonly version: string | undefined;
  /** Where it was found; may be a link. */
  readonly folder: string;
  /** A Python distribution shares its folder with others: the names in it that are its own. */
  readonly parts?: readonly string[];
  /** The project's own files name it. */
  readonly isNamed: boolean;
  /** Real folders it must lie in, whatever links lead to it. */
  readonly allowed: readonly string[];
}

/** An installed package that may be read. */
export interface Library extends InstalledPackage {
  /** `npm:zod@4.6.7` */
  readonly id: string;
  readonly version: string;
  readonly summary: string;
  /** The real folder. */
  readonly realFolder: string;
  /** The folder as a person of the project would write it. */
  readonly source: string;
}

export interface LibraryId {
  readonly ecosystem: Ecosystem | undefined;
  readonly name: string;
  readonly version: string | undefined;
}

export function libraryId(ecosystem: Ecosystem, name: string, version: string): string {
  return `${ecosystem}:${name}@${version}`;
}

/** Understands `npm:@scope/name@1.2.3`, `pypi:requests` and a bare `zod`. */
export function parseLibraryId(text: string): LibraryId {
  const colon = text.indexOf(':');
  const prefix = colon > 0 ? text.slice(0, colon) : '';
  const ecosystem = ecosystems.find((known) => known === prefix.toLowerCase());
  const rest = ecosystem === undefined ? text : text.slice(colon + 1);
  const at = rest.lastIndexOf('@');
  if (at <= 0) return { ecosystem, name: rest, version: undefined };
  return { ecosystem, name: rest.slice(0, at), version: rest.slice(at + 1) || undefined };
}

/** Names that mean the same package: `Foo_Bar.baz` and `foo-bar-baz` are one for Python. */
export function normalizeName(name: string): string {
  return name.toLowerCase().split(/[-_.]/).filter(Boolean).join('-');
}

const kibi = 1024;
const mebi = kibi * kibi;

/** What finding and reading one library may cost at most. What is beyond is left out, and the answer says so. */
export const docsLimits = {
  /** Folders of a project that are looked at for manifests and installed packages, and how deep below a root. */
  maxProjectFolders: 400,
  maxProjectDepth: 2,
  /** Folders above a root whose `node_modules` may hold what the project names. */
  maxFoldersAbove: 20,
  maxLibraries: 20_000,
  /** A manifest or lock file that names packages. */
  maxManifestBytes: 16 * mebi,
  /** Of one package: names seen while looking for documents, documents read, bytes of each, characters of all. */
  maxEntriesSeen: 100_000,
  maxFiles: 400,
  maxFileBytes: mebi,
  maxLibraryChars: 8 * mebi,
  maxPassages: 10_000,
  maxPassageChars: 3_000,
  maxIndexMs: 15_000,
  /** Text of all indexes kept in memory. */
  maxIndexedChars: 48 * mebi,
} as const;

export type DocsLimits = { readonly [Name in keyof typeof docsLimits]: number };

export const passageKinds = ['readme', 'types', 'docstring', 'changelog', 'doc'] as const;

type PassageKind = (typeof passageKinds)[number];

/** A piece of a document that can be understood alone. */
export interface Passage {
  /** The way to it: `Options > Default option value`, `Command.option`. */
  readonly heading: string;
  readonly text: string;
  /** Its first line, from 1. */
  readonly line: number;
  /** Importable from the library itself. */
  readonly isExported?: boolean;
}

export interface FiledPassage extends Passage {
  /** Relative to the package, with `/`. */
  readonly file: string;
  readonly kind: PassageKind;
}

/** A file of a package worth reading, how it is split, and how much its passages count. */
export interface Document {
  readonly file: string;
  readonly kind: PassageKind;
  readonly weight: number;
  readonly split: (text: string, trees: SyntaxTrees) => Passage[] | Promise<Passage[]>;
}
