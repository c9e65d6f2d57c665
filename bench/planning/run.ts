/**
 * How well the planner that needs no model does, by set and category, and how long it takes.
 * `node bench/planning/run.ts`; writes RESULTS.md beside it and ends with 1 when a set misses the goals.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { createPlanner } from '../../src/agent/planner/index.ts';
import { createRecipePlanner } from '../../src/agent/recipes/index.ts';
import { examplePhrases } from '../../src/toolbox/phrases/index.ts';
import { recipes } from '../../src/toolbox/recipes/index.ts';
import { planAll, sumUp, type Planned } from '../../test/support/planning/plan-all.ts';
import {
  ownSets,
  planningCases,
  type PlanningCase,
} from '../../test/support/planning/planning-requests.ts';
import { planningTools } from '../../test/support/planning/planning-tools.ts';
import { toolsOf } from '../../test/support/planning/score-planning.ts';

/** For requests that were not looked at while the planner was made. */
const goals = { right: 55, amongThree: 75, surelyWrong: 8, asked: 90 };
/** Written to be hard (slang, hints, two wishes in one breath), so they may miss the goals. */
const hardSets: ReadonlySet<string> = new Set(['own, ninth']);
/** Only counted: their failures are not listed, so that they stay unseen. */
const putAway: ReadonlySet<string> = new Set([
  'own, held out',
  'folder, held out',
  'fresh, held out',
  'fresh-2, held out',
  'fresh-3, held out',
  'fresh-4, held out',
  'fresh-5, held out',
  'fresh-6, held out',
]);

const halves = (
  set: 'own' | 'folder' | 'fresh' | 'fresh-2' | 'fresh-3' | 'fresh-4' | 'fresh-5' | 'fresh-6',
  names: readonly string[],
) =>
  names.map((half) => ({
    name: `${set}, ${half}`,
    cases: planningCases(set).filter((one) => one.half === half),
  }));
const sets = [
  { name: 'dev', cases: planningCases('dev') },
  { name: 'dev-2', cases: planningCases('dev-2') },
  ...halves('fresh', ['held out', 'tuning']),
  ...halves('fresh-2', ['held out', 'tuning']),
  ...halves('fresh-3', ['held out', 'tuning']),
  ...halves('fresh-4', ['held out', 'tuning']),
  ...halves('fresh-5', ['held out', 'tuning']),
  ...halves('fresh-6', ['held out', 'tuning']),
  ...halves('folder', ['tuning', 'held out']),
  ...halves('own', ownSets),
];
const tools = await planningTools();
/** As `tutti ask` plans: recipes for machine learning come first; here all that they would look up is possible. */
const lookAhead = async () => ({ kind: 'result', content: { engine: 'embedded' } }) as const;
const planner = createRecipePlanner(createPlanner(examplePhrases), recipes, lookAhead);
const results: { readonly name: string; readonly planned: readonly Planned[] }[] = [];
for (const { name, cases } of sets) {
  results.push({ name, planned: await planAll(planner, cases, tools) });
}
const text = report();
writeFileSync(new URL('RESULTS.md', import.meta.url), text);
console.log(text);
const missed = results.filter(({ name, planned }) => !hardSets.has(name) && !meetsGoals(planned));
if (missed.length > 0) {
  console.log(`Below the goals: ${missed.map(({ name }) => name).join('; ')}`);
  process.exitCode = 1;
}

function meetsGoals(planned: readonly Planned[]): boolean {
  const sum = sumUp(planned);
  return (
    sum.right >= goals.right &&
    sum.amongThree >= goals.amongThree &&
    sum.surelyWrong <= goals.surelyWrong &&
    sum.asked >= goals.asked
  );
}

function report(): string {
  const all = results.flatMap(({ planned }) => planned);
  return `# Results of the last \`node bench/planning/run.ts\`

Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}; ${tools.length} tools to choose from.
Plans are compared by the names of their tools (\`fresh-3\` to \`fresh-6\`: with arguments); optional steps may be there or not, and reading a file first is always
optional. *Right first*: the first plan shown is right (for ambiguous requests: a question or several readings; for
requests outside of what tools can do: a refusal). *Surely wrong*: a single plan without any sign of doubt that is wrong.

First counts on requests that had not been looked at:

| planner | set | right first | right among what is shown | surely wrong | ambiguous: asked | refused |
| --- | --- | --- | --- | --- | --- | --- |
| the rules replaced first (6,287 lines) | \`dev-2\` | 62.1 % | 77.3 % | 4.5 % | 100 % | 66.7 % |
| the rules that this one replaces | \`dev-2\` | 59.1 % | 63.6 % | 1.5 % | 90.0 % | 83.3 % |
| the rules that this one replaces | \`fresh, held out\` | 45.0 % | 63.3 % | 2.5 % | 80.0 % | 80.0 % |
| the rules that this one replaces | \`fresh, tuning\` | 38.3 % | 48.3 % | 5.8 % | 80.0 % | 40.0 % |
| this one, before its numbers were tuned | \`fresh, tuning\` | 53.3 % | 65.8 % | 1.7 % | 100 % | 50.0 % |
| this one, first count | \`fresh, held out\` | 63.3 % | 70.0 % | 1.7 % | 70.0 % | 100 % |
| this one with 2,250 lines, first count | \`fresh-2, held out\` | 73.3 % | 81.7 % | 0.8 % | 86.7 % | 78.9 % |
| this one with 2,250 lines, first count | \`fresh-2, tuning\` | 85.0 % | 85.8 % | 3.3 % | 93.3 % | 84.2 % |
| this one with 1,799 lines, first count with arguments | \`fresh-3, held out\` | 69.0 % | 75.0 % | 9.5 % | 100 % | 100 % |
| this one with 1,799 lines, first count with arguments | \`fresh-3, tuning\` | 73.8 % | 78.6 % | 10.7 % | 70.0 % | 100 % |
| this one with 1,800 lines, first count with arguments | \`fresh-4, held out\` | 60.0 % | 64.3 % | 4.3 % | 87.5 % | 91.7 % |
| this one with 1,800 lines, first count with arguments | \`fresh-4, tuning\` | 68.6 % | 71.4 % | 5.7 % | 75.0 % | 83.3 % |
| the same behind the recipes, as \`tutti ask\` uses it | \`fresh-4, held out\` | 62.9 % | 67.1 % | 5.7 % | 87.5 % | 91.7 % |
| the same behind the recipes, as \`tutti ask\` uses it | \`fresh-4, tuning\` | 72.9 % | 75.7 % | 5.7 % | 87.5 % | 83.3 % |
| as \`tutti ask\` uses it, first count with arguments | \`fresh-5, held out\` | 80.0 % | 81.8 % | 5.5 % | 85.7 % | 100 % |
| as \`tutti ask\` uses it, first count with arguments | \`fresh-5, tuning\` | 87.5 % | 91.1 % | 1.8 % | 85.7 % | 87.5 % |
| the next version, first count with arguments | \`fresh-6, held out\` | 84.2 % | 84.2 % | 7.9 % | 100 % | 100 % |
| the next version, first count with arguments | \`fresh-6, tuning\` | 66.7 % | 73.8 % | 2.4 % | 83.3 % | 100 % |

\`fresh-3\` is by an author who knew README, five pages of docs and the arguments of the tools; its plans are compared with their
arguments (first count: through \`tutti ask --plan-only --json\` in real folders). After work on the classes seen in its half
\`tuning\` the half \`held out\`, counted for the second and last time, hardly moved: what was fixed were single kinds of arguments, and unseen
requests name others.
A third count of its half \`held out\` belongs to a rule chosen on the sums of all sets: where words of the message stand for nothing, other readings are shown beside
the first (surely wrong 9.5 % before, 6.0 % after; nothing else changed by more than 1.3 points).

\`fresh-6\` is by another author who read README, the user pages and the list of tools with their arguments; nothing was changed before its first count:
of 80 requests 75 % right first, 78.8 % among what is shown, 5 % surely wrong, 11 of 12 ambiguous ones asked about, 10 of 10 refused.

\`fresh-5\` is by an author who knew README and the list of tools with their arguments; every harmful request (10 of 10) was refused in its first count,
and two of 14 ambiguous ones were refused instead of asked about ("translate it", and one of the unread half). Topics at any point of a
conversation and what no tool does were worked on after that count, with about 20 counts of all sets in sight: no held-out half is a clean check of that version.

\`fresh-4\` is by an author who read README, the user pages and the list of tools with their arguments, those for machine learning, memory and
debugging too, which had no example phrases then. In its first count every harmful request of both halves was refused (14 of 14), and 2 of 126 others
were refused as harm. Since then the servers \`ml\` and \`debug\` count as Tutti's own and the recipes for machine learning come first, as in \`tutti ask\`.
The author knew none of the servers \`office\` stands for: mail is planned here where a refusal is listed. Example phrases for the servers \`ml\` and \`debug\`,
for commands, limits and parts of files were then written by an author who had read the failures of \`tuning\`; \`held out\` was counted once more, at the end:
it gained 4 points first and 1 among those shown, surely wrong rose by 1, and 75 % shown and 90 % asked (7 of 8) are not reached; what was fixed helped the half that was read.

\`fresh\` was written by two authors who knew the names of the tools and nothing else; one half is only counted (nine times while the
planner was made), failures of the other were read. \`fresh-2\` came later, by an author who knew what the tools do; a part of its harmful requests and
of the small choices of the shorter planner was counted on both halves, failures were read of \`tuning\` only. About 15 requests of all sets that were wrongly refused, or harmful and not refused, were read later: for harm no set is unseen. Later, while clauses, commits, file texts and follow-ups were added,
all sets were counted about 40 times, held-out halves too, and two choices (which paths are folders, when a file is asked for) followed those counts: no
half is wholly unseen any more. \`folder\` are requests typed inside a project, each with its tree; its half
\`held out\` and \`own, held out\` are only counted. The numbers in the planner were tuned on \`dev\`, \`dev-2\` and a third of \`folder\` and
\`own\`. The example phrases it learns from were written by other authors, who had seen none of these sets.
Those of what no tool does (\`elsewhere\`) are by an author who had read failures of the tuning halves; none is a request of a set.

| set | requests | right first | right among what is shown | surely wrong | ambiguous: asked | outside: refused |
| --- | --- | --- | --- | --- | --- | --- |
| *goal for unseen ones* | | ≥ ${goals.right} % | ≥ ${goals.amongThree} % | ≤ ${goals.surelyWrong} % | ≥ ${goals.asked} % | |
${results.map(({ name, planned }) => sumRow(name, planned)).join('\n')}

## Time per request

p50 ${at(all, 0.5)} ms, p99 ${at(all, 0.99)} ms.

## What went wrong

${failures().join('\n') || 'Nothing, but for requests that are put away.'}
`;
}

function sumRow(name: string, planned: readonly Planned[]): string {
  const sum = sumUp(planned);
  const cells = [sum.right, sum.amongThree, sum.surelyWrong, sum.asked, sum.refused];
  return `| ${name} | ${planned.length} | ${cells.map((value) => `${value.toFixed(1)} %`).join(' | ')} |`;
}

function failures(): readonly string[] {
  return results
    .filter(({ name }) => !putAway.has(name))
    .flatMap(({ planned }) => planned)
    .filter(({ score }) => score !== 'right')
    .map(({ one, answer }) => {
      const wanted = one.expect === 'plan' ? wantedOf(one) : one.expect;
      const first = 'candidates' in answer ? answer.candidates[0] : undefined;
      const got = answer.kind === 'plan' && first ? toolsOf(first).join(', ') : answer.kind;
      return `- ${one.id} ${JSON.stringify(one.request)}: wanted ${wanted}; got ${got}`;
    });
}

/** The tools of all plans that are right. */
function wantedOf({ plans, accept }: PlanningCase): string {
  const named = plans.map((steps) => steps.map(({ tool }) => tool.split('.').at(-1)));
  return (plans.length > 0 ? named : accept).map((names) => names.join(', ')).join(' or ');
}

function at(planned: readonly Planned[], part: number): string {
  const times = planned.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return (times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0).toFixed(1);
}
