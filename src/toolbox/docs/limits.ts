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
