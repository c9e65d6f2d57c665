import { existsSync } from 'node:fs';
import type { CallContext } from '../../../contract/server/index.ts';
import { AppError, pluralize } from '../../../kernel/index.ts';
import type { CodeContext } from '../code-context.ts';
import { knownEndings, languageOfPath } from '../language.ts';
import type { DependencyReport, DependencyRequest } from './analyze-dependencies-tool.ts';
import {
  adjacencyOf,
  findComponents,
  findCycles,
  type Adjacency,
  type Cycle,
} from './find-cycles.ts';
import { QueriedTrees } from './imports/queried-trees.ts';
import type { ModuleFile } from './resolution.ts';
import { groupByFolder, type PlainGraph, buildGraph } from './import-graph.ts';
import { drawMermaid, drawSvg, pictureOf } from './draw-graph.ts';
import { findProject, type FoundProject } from './find-project.ts';
import { readImports } from './imports/read-imports.ts';

const maxUnresolvedShown = 500;
const topCount = 10;

/** Reads, resolves, measures and draws: the whole of `analyze_dependencies`. */
export async function reportDependencies(
  context: CodeContext,
  request: DependencyRequest,
  call: CallContext,
): Promise<DependencyReport> {
  const endings = knownEndings().filter((ending) => languageOfPath(`x.${ending}`) !== 'sql');
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
  const nodes = describeNodes(graph);
  const { externals, unresolved } = whole;
  return {
    ...(request.imported !== undefined && { importers: findImporters(graph, request.imported) }),
    nodes,
    edges: [...graph.edges],
    cycles,
    external_dependencies: externals,
    unresolved: unresolved.slice(0, maxUnresolvedShown),
    unreadable,
    metrics: {
      ...summarizeNodes(nodes),
      files: files.length,
      edges: graph.edges.length,
      cycles: cycles.length,
      external_dependencies: externals.length,
      unresolved: unresolved.length,
    },
    ...draw(graph, request.imported === undefined ? request.pictures : []),
    recommendations: recommend({ cycles, edges: [...graph.edges], nodes, unresolved }),
  };
}

/** Modules that import one of ours (named by its path, the end of it, dotted, or its folder), or a package from outside. */
function findImporters(graph: PlainGraph, name: string): DependencyReport['importers'] {
  const wanted = name.replaceAll('\\', '/').replaceAll(/^(?:\.?\/)+|\/$/gu, '');
  const forms = [wanted, wanted.replaceAll('.', '/')];
  const ids = [...graph.nodes.keys()];
  const modules = ids.filter((id) => {
    const module = id.replace(/(?:\/(?:__init__|index|mod))?\.\w+$/u, '');
    return [id, module].some((own) => forms.some((form) => `/${own}`.endsWith(`/${form}`)));
  });
  const inFolder = ids.filter((id) => `/${id}`.includes(`/${wanted}/`));
  const meant = new Set(modules.length > 0 ? modules : inFolder);
  const inside = graph.edges
    .filter(({ from, to }) => meant.has(to) && !meant.has(from))
    .map(({ from, line }) => ({ file: from, line }));
  const outside = [...graph.nodes.values()]
    .filter(({ external }) => external.has(wanted))
    .map(({ id }) => ({ file: id }));
  return [...inside, ...outside];
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

type ReportedNode = DependencyReport['nodes'][number];

/** Robert Martin's coupling measures per module, and the depth of what it rests on; in order of ids. */
function describeNodes(graph: PlainGraph): ReportedNode[] {
  const next = adjacencyOf(graph.nodes.keys(), graph.edges);
  const importers = new Map<string, number>();
  for (const { from, to } of graph.edges) {
    if (from !== to) importers.set(to, (importers.get(to) ?? 0) + 1);
  }
  const depths = depthsOf(next);
  const nodes = [...graph.nodes.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return nodes.map(({ id, language, files, external }) => {
    const importedBy = importers.get(id) ?? 0;
    const imports = (next.get(id) ?? []).filter((target) => target !== id).length;
    const total = importedBy + imports;
    return {
      id,
      language,
      files,
      imports,
      imported_by: importedBy,
      external: [...external].sort(),
      instability: total === 0 ? 0 : round(imports / total),
      depth: depths.get(id) ?? 0,
    };
  });
}

/** Components arrive after those they lead to, so one pass is enough. */
function depthsOf(next: Adjacency): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const component of findComponents(next)) {
    const members = new Set(component);
    let depth = 0;
    for (const target of component.flatMap((id) => next.get(id) ?? [])) {
      if (!members.has(target)) depth = Math.max(depth, (depths.get(target) ?? 0) + 1);
    }
    for (const id of component) depths.set(id, depth);
  }
  return depths;
}

function summarizeNodes(
  nodes: readonly ReportedNode[],
): Pick<
  DependencyReport['metrics'],
  'modules' | 'max_depth' | 'average_fan_out' | 'most_imported' | 'most_importing'
> {
  const top = (key: 'imports' | 'imported_by'): ReportedNode[] =>
    nodes
      .filter((node) => node[key] > 0)
      .sort((a, b) => b[key] - a[key])
      .slice(0, topCount);
  const links = nodes.reduce((sum, { imports }) => sum + imports, 0);
  return {
    modules: nodes.length,
    max_depth: nodes.reduce((deepest, { depth }) => Math.max(deepest, depth), 0),
    average_fan_out: nodes.length === 0 ? 0 : round(links / nodes.length),
    most_imported: top('imported_by'),
    most_importing: top('imports'),
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function draw(
  graph: PlainGraph,
  pictures: DependencyRequest['pictures'],
): Pick<DependencyReport, 'mermaid' | 'svg' | 'picture_note'> {
  if (pictures.length === 0) return {};
  const picture = pictureOf(graph);
  return {
    ...(pictures.includes('mermaid') ? { mermaid: drawMermaid(picture) } : {}),
    ...(pictures.includes('svg') ? { svg: drawSvg(picture) } : {}),
    ...(picture.note === '' ? {} : { picture_note: picture.note }),
  };
}

type GraphFindings = Pick<DependencyReport, 'cycles' | 'edges' | 'nodes' | 'unresolved'>;

const maxCyclesAdvised = 10;
const busyFanOut = 20;
const hubFanIn = 20;
const deepChain = 12;

/** What to do about the shape of the graph, most pressing first. */
function recommend(findings: GraphFindings): string[] {
  const { cycles, unresolved, nodes } = findings;
  const advice = cycles.slice(0, maxCyclesAdvised).map((cycle) => adviseCycle(cycle, findings));
  if (cycles.length > maxCyclesAdvised) {
    advice.push(`${cycles.length - maxCyclesAdvised} further cycles are listed under "cycles".`);
  }
  if (unresolved.length > 0) {
    const [first] = unresolved;
    advice.push(
      `${pluralize(unresolved.length, 'unresolved import')}, e.g. "${first?.specifier}" in ${first?.file}:${first?.line}.`,
    );
  }
  for (const { id, imported_by: fanIn, imports: fanOut, depth } of nodes) {
    if (fanOut > busyFanOut) {
      advice.push(`${id} imports ${fanOut} modules: consider splitting it by task.`);
    } else if (fanIn > hubFanIn && fanOut > hubFanIn / 2) {
      advice.push(
        `${id} is imported by ${fanIn} and imports ${fanOut}: changes to it spread widely.`,
      );
    }
    if (depth > deepChain) advice.push(`${id} rests on a chain of ${depth} imports.`);
  }
  return advice.slice(0, maxAdvice);
}

const maxAdvice = 30;

/** The lightest import on the circle is the cheapest to turn around or to move. */
function adviseCycle(cycle: Cycle, { edges }: GraphFindings): string {
  const [first = ''] = cycle.shortest;
  if (cycle.shortest.length === 1) return `${first} imports itself: remove that import.`;
  const way = [...cycle.shortest, first].join(' → ');
  const onCycle = cycle.shortest.flatMap((from, index) => {
    const to = cycle.shortest[(index + 1) % cycle.shortest.length];
    return edges.filter((edge) => edge.from === from && edge.to === to);
  });
  const [lightest] = onCycle.toSorted((a, b) => a.count - b.count);
  const size =
    cycle.members.length > cycle.shortest.length
      ? ` (${cycle.members.length} modules hang together)`
      : '';
  return (
    `Break the cycle ${way}${size}: the lightest import is ${lightest?.from}:${lightest?.line} → ` +
    `${lightest?.to}; move what both need into a module of its own, or turn that import around.`
  );
}
