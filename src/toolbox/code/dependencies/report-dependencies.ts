import { existsSync } from 'node:fs';
import type { CallContext } from '../../../contract/server/index.ts';
import { AppError } from '../../../kernel/index.ts';
import type { CodeContext } from '../code-context.ts';
import { knownEndings, languageOfPath } from '../language.ts';
import type { DependencyReport } from './analyze-dependencies-tool.ts';
import { adjacencyOf, findCycles } from './find-cycles.ts';
import { groupByFolder, type PlainGraph } from './group-graph.ts';
import { buildGraph, type ImportGraph } from './import-graph.ts';
import type { ModuleFile } from './import-reference.ts';
import { QueriedTrees } from './imports/queried-trees.ts';
import { readImports } from './imports/read-imports.ts';
import { measureGraph, type NodeMetrics } from './measure-graph.ts';
import { drawMermaid } from './picture/draw-mermaid.ts';
import { drawSvg } from './picture/draw-svg.ts';
import { pictureOf } from './picture/picture-graph.ts';
import { findProject, type FoundProject } from './find-project.ts';
import { recommend } from './recommend.ts';

export interface DependencyRequest {
  readonly path: string;
  readonly group_by: 'file' | 'folder';
  readonly pictures: readonly ('mermaid' | 'svg')[];
}

const maxUnresolvedShown = 500;
const topCount = 10;

/** Reads, resolves, measures and draws: the whole of `analyze_dependencies`. */
export async function reportDependencies(
  context: CodeContext,
  request: DependencyRequest,
  call: CallContext,
): Promise<DependencyReport> {
  const endings = knownEndings.filter((ending) => languageOfPath(`x.${ending}`) !== 'sql');
  const found = await findProject(context.sources, request.path, endings);
  const { files, unreadable } = await readFiles(context, found, call);
  const whole = buildGraph({
    root: found.root,
    files,
    projectFiles: found.projectFiles,
    exists: (id) => !id.startsWith('..') && existsSync(`${found.root}/${id}`),
  });
  const graph = request.group_by === 'folder' ? groupByFolder(whole) : whole;
  const needs = graph.edges.filter((edge) => edge.kind === 'import');
  const cycles = findCycles(adjacencyOf(graph.nodes.keys(), needs));
  const metrics = measureGraph(graph);
  const { unresolved } = whole;
  return {
    ...describeGraph(graph, metrics),
    cycles: cycles.map(({ members, shortest }) => ({
      members: [...members],
      shortest: [...shortest],
    })),
    external_dependencies: describeExternals(whole),
    unresolved: unresolved.slice(0, maxUnresolvedShown).map((one) => ({ ...one })),
    unreadable,
    metrics: summarizeMetrics(
      { whole, graph, metrics },
      { files: files.length, cycles: cycles.length },
    ),
    ...draw(graph, request.pictures),
    recommendations: recommend({ cycles, edges: graph.edges, metrics, unresolved }),
  };
}

interface ReadFiles {
  readonly files: ModuleFile[];
  readonly unreadable: { file: string; reason: string }[];
}

/** A file that cannot be read or understood is named and left out; the others still count. */
async function readFiles(
  { sources, trees }: CodeContext,
  found: FoundProject,
  call: CallContext,
): Promise<ReadFiles> {
  const read: ReadFiles = { files: [], unreadable: [] };
  const queried = new QueriedTrees(trees);
  try {
    for (const [index, { id, absolutePath }] of found.files.entries()) {
      call.signal.throwIfAborted();
      const language = languageOfPath(absolutePath);
      if (language === undefined) continue;
      try {
        const text = await sources.readText(absolutePath, id);
        const imports = await readImports(queried, { path: id, text, language });
        read.files.push({ id, language, imports });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        read.unreadable.push({ file: id, reason: error.message });
      }
      call.progress({ progress: index + 1, total: found.files.length, message: id });
    }
  } finally {
    await queried.close();
  }
  return read;
}

function describeGraph(
  graph: PlainGraph,
  metrics: ReadonlyMap<string, NodeMetrics>,
): Pick<DependencyReport, 'nodes' | 'edges'> {
  const nodes = [...graph.nodes.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    nodes: nodes.map(({ id, language, files, external }) => {
      const measured = metrics.get(id);
      return {
        id,
        language,
        files,
        imports: measured?.fanOut ?? 0,
        imported_by: measured?.fanIn ?? 0,
        external: [...external].sort(),
        instability: measured?.instability ?? 0,
        depth: measured?.depth ?? 0,
      };
    }),
    edges: graph.edges.map(({ from, to, line, count, kind }) => ({
      from,
      to,
      line,
      count,
      kind,
    })),
  };
}

function describeExternals(graph: ImportGraph): DependencyReport['external_dependencies'] {
  return graph.externals.map(({ name, language, isStandard, importedBy }) => ({
    name,
    language,
    standard_library: isStandard,
    imported_by: importedBy,
  }));
}

interface Measured {
  readonly whole: ImportGraph;
  readonly graph: PlainGraph;
  readonly metrics: ReadonlyMap<string, NodeMetrics>;
}

function summarizeMetrics(
  { whole, graph, metrics }: Measured,
  counts: { readonly files: number; readonly cycles: number },
): DependencyReport['metrics'] {
  const all = [...metrics].sort(([a], [b]) => (a < b ? -1 : 1));
  const top = (value: (one: NodeMetrics) => number): { id: string; value: number }[] =>
    all
      .map(([id, one]) => ({ id, value: value(one) }))
      .filter((one) => one.value > 0)
      .sort((a, b) => b.value - a.value)
      .slice(0, topCount);
  const links = graph.edges.filter(({ from, to }) => from !== to).length;
  return {
    ...counts,
    modules: graph.nodes.size,
    edges: graph.edges.length,
    external_dependencies: whole.externals.length,
    unresolved: whole.unresolved.length,
    max_depth: all.reduce((deepest, [, { depth }]) => Math.max(deepest, depth), 0),
    average_fan_out:
      graph.nodes.size === 0 ? 0 : Math.round((links / graph.nodes.size) * 100) / 100,
    most_imported: top(({ fanIn }) => fanIn).map(({ id, value }) => ({ id, imported_by: value })),
    most_importing: top(({ fanOut }) => fanOut).map(({ id, value }) => ({ id, imports: value })),
  };
}

function draw(
  graph: PlainGraph,
  pictures: readonly ('mermaid' | 'svg')[],
): Pick<DependencyReport, 'mermaid' | 'svg' | 'picture_note'> {
  if (pictures.length === 0) return {};
  const picture = pictureOf(graph);
  return {
    ...(pictures.includes('mermaid') ? { mermaid: drawMermaid(picture) } : {}),
    ...(pictures.includes('svg') ? { svg: drawSvg(picture) } : {}),
    ...(picture.note === '' ? {} : { picture_note: picture.note }),
  };
}
