/**
 * How well the planner that needs no model does, by set and category, and how long it takes.
 * `node bench/planning/run.ts`; writes RESULTS.md beside it and ends with 1 when a set that once met the
 * goals no longer does.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPlanner } from '../../src/agent/planner/index.ts';
import { silentLog } from '../../src/kernel/index.ts';
import { createCachedEmbedder, createLocalEmbedder } from '../../src/models/index.ts';
import { planAll, sumUp, type Planned } from '../../test/support/planning/plan-all.ts';
import {
  planningCases,
  type PlanningCase,
  ownSets,
} from '../../test/support/planning/planning-requests.ts';
import { planningTools } from '../../test/support/planning/planning-tools.ts';
import { toolsOf } from '../../test/support/planning/score-planning.ts';

/** What has to hold for requests nobody has seen. */
const goals = { right: 60, amongThree: 80, wrongPlan: 8, asked: 90 };

/** Written to be hard, so they may miss the goals. */
const hardSets: ReadonlySet<string> = new Set(['own, ninth']);

const sets: readonly { readonly name: string; readonly cases: readonly PlanningCase[] }[] = [
  { name: 'dev', cases: planningCases('dev') },
  ...ownSets.map((half) => ({
    name: `own, ${half}`,
    cases: planningCases('own').filter((one) => one.half === half),
  })),
].filter(({ cases }) => cases.length > 0);

const folder = mkdtempSync(join(tmpdir(), 'tutti-bench-planning-'));
const embedder = createLocalEmbedder();
const cached = createCachedEmbedder(embedder, { path: join(folder, 'vectors'), log: silentLog });
const planner = createPlanner({ embed: (texts, signal) => cached.embed(texts, signal) });
const tools = await planningTools();
await cached.embed(['warm'], new AbortController().signal);

const results: { name: string; planned: readonly Planned[] }[] = [];
for (const { name, cases } of sets) {
  results.push({ name, planned: await planAll(planner, cases, tools) });
}
await embedder.close();
rmSync(folder, { recursive: true, force: true });

const text = report();
writeFileSync(new URL('RESULTS.md', import.meta.url), text);
console.log(text);
const guarded = results.filter(({ name }) => !hardSets.has(name));
process.exitCode = guarded.every(({ planned }) => holds(planned)) ? 0 : 1;

function holds(planned: readonly Planned[]): boolean {
  const sum = sumUp(planned);
  return (
    sum.right >= goals.right &&
    sum.amongThree >= goals.amongThree &&
    sum.wrongPlan <= goals.wrongPlan &&
    sum.asked >= goals.asked
  );
}

function report(): string {
  const all = results.flatMap(({ planned }) => planned);
  return `# Results of the last \`node bench/planning/run.ts\`

Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}; ${tools.length} tools to choose from.
Compared by the names of the tools alone; optional steps may be there or not.

The sets: \`dev\` came with the project. Of our own, \`tuning\` and \`held out\` were written before the planner;
the failures of \`held out\` were never looked at, but they were counted after each change, by whom they were written,
so that number flatters. \`second\` to \`tenth\` were written later, each without running the planner, and counted once
before its failures were looked at. Those first counts are the honest estimate for requests that are written as freely
as these. The planner changed between the sets: \`second\` to \`seventh\` were counted before it asked in doubt,
\`eighth\` to \`tenth\` since then.

| set, at first sight | requests | right first | right among three | wrong plan | ambiguous: asked |
| --- | --- | --- | --- | --- | --- |
| second | 156 | 81.4 % | 82.1 % | 14.1 % | 91.3 % |
| third | 154 | 80.5 % | 86.4 % | 9.7 % | 100 % |
| fourth | 79 | 86.1 % | 87.3 % | 8.9 % | 100 % |
| fifth | 52 | 78.8 % | 82.7 % | 13.5 % | 87.5 % |
| sixth | 47 | 87.2 % | 87.2 % | 12.8 % | 71.4 % |
| seventh | 132 | 78.0 % | 81.8 % | 15.2 % | 95.0 % |
| *before it asked in doubt* | 620 | 81.3 % | 84.2 % | 12.4 % | 93.6 % |
| eighth | 112 | 86.6 % | 92.9 % | 3.6 % | 88.2 % |
| ninth | 72 | 58.3 % | 77.8 % | 11.1 % | 100 % |
| tenth | 54 | 90.7 % | 92.6 % | 5.6 % | 100 % |
| *since then* | 238 | 79.0 % | 88.2 % | 6.3 % | 94.4 % |

By these, all four goals are met since the planner asks in doubt. \`ninth\` was written to be hard (slang, hints, two
wishes in one breath): on such requests alone, two goals are missed. Some failures of \`eighth\` and \`ninth\` were mended
after they were counted; \`tenth\` is the count of the planner as it is, and nothing was mended after it.

When to ask: signs of doubt were thought of while looking at the failures of \`seventh\`, a few more after \`ninth\`.
Which of them count was decided over all earlier sets, and over the same with words taken out of the lexicon at random
(12 of 100), which makes the planner misread requests as it misreads strange ones. A sign was kept where plans that
show it are wrong so often that asking costs less, a wrong plan counting as three needless questions.

As they are now, with failures mended where the reason was general. All sets but \`held out\` and \`tenth\` were tuned on:
these rows guard against losing ground and estimate nothing.

| set | requests | right first | right among three | wrong plan | ambiguous: asked | outside: refused |
| --- | --- | --- | --- | --- | --- | --- |
| *goal for unseen ones* | | ≥ ${goals.right} % | ≥ ${goals.amongThree} % | ≤ ${goals.wrongPlan} % | ≥ ${goals.asked} % | |
${results.map(({ name, planned }) => sumRow(name, planned)).join('\n')}

## By category

| set | category | requests | right | among three | asked instead | refused instead | wrong |
| --- | --- | --- | --- | --- | --- | --- | --- |
${results.flatMap(({ name, planned }) => categoryRows(name, planned)).join('\n')}

## Time per request

p50 ${at(all, 0.5)} ms, p99 ${at(all, 0.99)} ms. Most are decided by rules alone; the slow ones need a vector of the message.

## What went wrong

${confusions().join('\n') || 'Nothing, but for requests that are held out.'}
`;
}

function sumRow(name: string, planned: readonly Planned[]): string {
  const sum = sumUp(planned);
  const cells = [sum.right, sum.amongThree, sum.wrongPlan, sum.asked, sum.refused];
  return `| ${name} | ${planned.length} | ${cells.map((value) => `${value.toFixed(1)} %`).join(' | ')} |`;
}

function categoryRows(name: string, planned: readonly Planned[]): readonly string[] {
  const categories = [...new Set(planned.map(({ one }) => one.category))];
  return categories.map((category) => {
    const some = planned.filter(({ one }) => one.category === category);
    const count = (score: Planned['score']): number =>
      some.filter(({ score: given }) => given === score).length;
    return `| ${name} | ${category} | ${some.length} | ${count('right')} | ${count('right') + count('among')} | ${count('asked')} | ${count('refused')} | ${count('wrong')} |`;
  });
}

/** Held-out requests stay unread, so they are not listed. */
function confusions(): readonly string[] {
  return results
    .filter(({ name }) => name !== 'own, held out')
    .flatMap(({ planned }) => planned)
    .filter(({ score }) => score !== 'right')
    .map(({ one, answer }) => {
      const wanted =
        one.expect === 'plan' ? one.gold.map(({ tool }) => tool).join(', ') : one.expect;
      const first = answer.kind === 'refusal' ? undefined : answer.candidates[0];
      const got = answer.kind === 'plan' && first ? toolsOf(first).join(', ') : answer.kind;
      return `- ${one.id} ${JSON.stringify(one.request)}: wanted ${wanted}; got ${got}`;
    });
}

function at(planned: readonly Planned[], part: number): string {
  const times = planned.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return (times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0).toFixed(1);
}
