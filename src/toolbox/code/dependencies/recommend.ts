import { counted } from '../../../kernel/index.ts';
import type { Cycle } from './find-cycles.ts';
import type { DependencyReport } from './analyze-dependencies-tool.ts';

export type GraphFindings = Pick<DependencyReport, 'cycles' | 'edges' | 'nodes' | 'unresolved'>;

const maxCyclesAdvised = 10;
const busyFanOut = 20;
const hubFanIn = 20;
const deepChain = 12;

/** What to do about the shape of the graph, most pressing first. */
export function recommend(findings: GraphFindings): string[] {
  const { cycles, unresolved, nodes } = findings;
  const advice = cycles.slice(0, maxCyclesAdvised).map((cycle) => adviseCycle(cycle, findings));
  if (cycles.length > maxCyclesAdvised) {
    advice.push(`${cycles.length - maxCyclesAdvised} further cycles are listed under "cycles".`);
  }
  if (unresolved.length > 0) {
    const [first] = unresolved;
    advice.push(
      `${counted(unresolved.length, 'unresolved import')}, e.g. "${first?.specifier}" in ${first?.file}:${first?.line}.`,
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
