import { posix } from 'node:path';
import type { DependencyReport } from './analyze-dependencies-tool.ts';
import { pythonResolver } from './resolve/resolve-python.ts';
import { lookupTable } from '../../../kernel/index.ts';
import type { ImportKind, ModuleFile, Project, Resolver } from './resolution.ts';
import {
  goPackageOf,
  goResolver,
  javaResolver,
  samePackage,
  rustResolver,
} from './resolve/resolve-compiled.ts';
import { javascriptResolver, pathResolver } from './resolve/resolve-javascript.ts';

/** A module in the graph: a file, a Go package, or a folder once grouped. */
interface GraphNode {
  readonly id: string;
  readonly language: string;
  readonly files: number;
  /** Names of packages outside that it imports. */
  readonly external: ReadonlySet<string>;
}

/** `from` imports `to`; `line` is where, in `from` or in the first file of it; `kind` is the strongest. */
type GraphEdge = DependencyReport['edges'][number];

interface ImportGraph {
  readonly nodes: ReadonlyMap<string, GraphNode>;
  readonly edges: readonly GraphEdge[];
  readonly externals: DependencyReport['external_dependencies'];
  readonly unresolved: DependencyReport['unresolved'];
}

/** Joins files by what their imports resolve to. Several imports of one module are one edge. */
export function buildGraph(project: Project): ImportGraph {
  const builder = new GraphBuilder();
  const resolvers = resolversOf(project);
  for (const file of project.files) {
    builder.addFile(file);
    for (const reference of referencesOf(file)) {
      const resolution = resolvers(file)(file, reference);
      if (resolution.kind === 'unresolved') builder.addUnresolved(file, reference);
      if (resolution.kind === 'external') builder.addExternal(file, resolution);
      if (resolution.kind !== 'internal') continue;
      for (const id of resolution.ids) builder.addEdge(file, id, reference);
    }
  }
  return builder.build();
}

function resolversOf(project: Project): (file: ModuleFile) => Resolver {
  const javascript = javascriptResolver(project);
  const path = pathResolver(project);
  const byLanguage: Readonly<Record<string, Resolver>> = lookupTable({
    javascript,
    typescript: javascript,
    python: pythonResolver(project),
    java: javaResolver(project),
    go: goResolver(project),
    rust: rustResolver(project),
  });
  return (file) => byLanguage[file.language] ?? path;
}

function referencesOf(file: ModuleFile): ModuleFile['imports']['references'] {
  const { references, typeNames } = file.imports;
  if (typeNames === undefined) return references;
  const used = [...typeNames].map(([name, line]) => ({
    specifier: samePackage,
    line,
    names: [name],
  }));
  return [...references, ...used];
}

const kindsByStrength: readonly ImportKind[] = ['import', 'type', 'declaration'];

/** One edge for all between the same two modules: the first line, the strongest kind. */
function mergeEdges(edges: readonly GraphEdge[]): GraphEdge[] {
  const merged = new Map<string, GraphEdge>();
  for (const edge of edges) {
    const key = `${edge.from}\n${edge.to}`;
    const known = merged.get(key);
    const kinds = [edge.kind, known?.kind];
    merged.set(key, {
      ...edge,
      line: known?.line ?? edge.line,
      count: (known?.count ?? 0) + edge.count,
      kind: kindsByStrength.find((kind) => kinds.includes(kind)) ?? edge.kind,
    });
  }
  return [...merged.values()];
}

/** The node a file belongs to: itself, or for Go its package. */
function nodeIdOf(file: ModuleFile): string {
  return file.language === 'go' ? goPackageOf(file.id) : file.id;
}

/** Here a file names its own module without importing it: a package's tests, a type's own name. */
const selfIsNoImport: ReadonlySet<string> = new Set(['go', 'java', 'rust']);

class GraphBuilder {
  readonly #nodes = new Map<string, { language: string; files: number; external: Set<string> }>();
  readonly #edges: GraphEdge[] = [];
  readonly #externals = new Map<
    string,
    { isStandard: boolean; language: string; by: Set<string> }
  >();
  readonly #unresolved: ImportGraph['unresolved'] = [];

  addFile(file: ModuleFile): void {
    const id = nodeIdOf(file);
    const node = this.#nodes.get(id);
    if (node) node.files += 1;
    else this.#nodes.set(id, { language: file.language, files: 1, external: new Set() });
  }

  addEdge(
    file: ModuleFile,
    to: string,
    reference: { readonly line: number; readonly kind?: ImportKind },
  ): void {
    const from = nodeIdOf(file);
    if (from === to && selfIsNoImport.has(file.language)) return;
    const { line, kind = 'import' } = reference;
    this.#edges.push({ from, to, line, count: 1, kind });
  }

  addExternal(
    file: ModuleFile,
    found: { readonly name: string; readonly isStandard: boolean },
  ): void {
    const node = this.#nodes.get(nodeIdOf(file));
    node?.external.add(found.name);
    const language = file.language === 'typescript' ? 'javascript' : file.language;
    const key = `${language}\n${found.name}`;
    const known = this.#externals.get(key);
    if (known) known.by.add(nodeIdOf(file));
    else {
      const by = new Set([nodeIdOf(file)]);
      this.#externals.set(key, { isStandard: found.isStandard, language, by });
    }
  }

  addUnresolved(file: ModuleFile, reference: { specifier: string; line: number }): void {
    this.#unresolved.push({ file: file.id, specifier: reference.specifier, line: reference.line });
  }

  build(): ImportGraph {
    const externals = [...this.#externals].map(([key, { isStandard, language, by }]) => ({
      name: key.slice(language.length + 1),
      language,
      standard_library: isStandard,
      imported_by: by.size,
    }));
    return {
      nodes: new Map([...this.#nodes].map(([id, node]) => [id, { id, ...node }])),
      edges: mergeEdges(this.#edges),
      externals: externals.sort(
        (a, b) => b.imported_by - a.imported_by || (a.name < b.name ? -1 : 1),
      ),
      unresolved: this.#unresolved,
    };
  }
}

export interface PlainGraph {
  readonly nodes: ReadonlyMap<string, GraphNode>;
  readonly edges: readonly GraphEdge[];
}

/** The same graph with folders as nodes, cut after `maxDepth` levels; imports inside one vanish. */
export function groupByFolder(graph: PlainGraph, maxDepth = Infinity): PlainGraph {
  const groupOf = (id: string): string => {
    const node = graph.nodes.get(id);
    const folder = node?.language === 'go' ? id : posix.dirname(id);
    return folder.split('/').slice(0, maxDepth).join('/');
  };
  const nodes = new Map<string, { language: string; files: number; external: Set<string> }>();
  for (const node of graph.nodes.values()) {
    const id = groupOf(node.id);
    const group = nodes.get(id) ?? { language: node.language, files: 0, external: new Set() };
    group.files += node.files;
    if (group.language !== node.language) group.language = 'mixed';
    for (const name of node.external) group.external.add(name);
    nodes.set(id, group);
  }
  const edges = graph.edges
    .map((edge) => ({ ...edge, from: groupOf(edge.from), to: groupOf(edge.to) }))
    .filter(({ from, to }) => from !== to);
  return {
    nodes: new Map([...nodes].map(([id, group]) => [id, { id, ...group }])),
    edges: mergeEdges(edges),
  };
}
