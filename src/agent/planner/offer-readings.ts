import type { PlanCandidate } from '../../contract/agent/index.ts';
import { draftSteps, type Drafted } from './draft-steps.ts';
import type { Clause, Split } from './read-clauses.ts';
import type { Choice, Situation } from './read-context.ts';
import { readSlots } from './read-slots.ts';
import type { ToolProfile } from './tool-profile.ts';
import { writePlan } from './write-plan.ts';

/** One way to understand the message, as a whole plan. */
export interface Reading {
  readonly drafted: Drafted;
  readonly candidate: PlanCandidate;
}

/** Labels of one clause that are tried. */
const maxLabels = 4;
/** Readings that are written out, best first. */
const maxReadings = 8;

/** A clause with what it is taken for; without a tool it asks for nothing. */
interface Pick {
  readonly clause: Clause;
  readonly profile?: ToolProfile | undefined;
  readonly share: number;
}

type Interpretation = Readonly<{ picks: readonly Pick[]; weight: number }>;

/** All that the message may ask for, most likely first. What calls the same tools is one reading. */
export function offerReadings(splits: readonly Split[], situation: Situation): readonly Reading[] {
  const byTools = Map.groupBy(
    splits.flatMap((split) => interpret(split, situation)),
    ({ picks }) =>
      picks
        .map(({ profile }) => profile?.entry.name ?? '')
        .toSorted()
        .join(),
  );
  byTools.delete('');
  const readings = [...byTools.values()].map((same) => ({
    picks: same.toSorted((a, b) => b.weight - a.weight)[0]?.picks ?? [],
    total: same.reduce((sum, { weight }) => sum + Math.exp(weight), 0),
  }));
  const sum = readings.reduce((all, { total }) => all + total, 0);
  return readings
    .toSorted((a, b) => b.total - a.total)
    .slice(0, maxReadings)
    .flatMap(({ picks, total }) => writeReading(picks, total / sum, situation));
}

/** The likeliest tool for every clause, and every way in which one clause is taken for something else. */
function interpret({ clauses, weight }: Split, { tools }: Situation): readonly Interpretation[] {
  const options = clauses.map((clause) => optionsFor(clause, tools));
  const best = options.flatMap(([first]) => first ?? []);
  const others = options.flatMap((some, at) =>
    some.slice(1).map((other) => best.map((one, index) => (index === at ? other : one))),
  );
  return [best, ...others].map((picks) => ({
    picks: mergeDetails(picks.filter(({ clause, profile }) => profile && !clause.isNegated)),
    weight: picks.reduce((total, { share }) => total + Math.log(share), weight),
  }));
}

function optionsFor(clause: Clause, tools: Situation['tools']): readonly Pick[] {
  const guesses = clause.guesses.filter(({ label }) => tools.has(label));
  const picks = guesses.map(({ label, share }) => ({ clause, profile: tools.get(label), share }));
  const known = picks.reduce((total, { share }) => total + share, 0);
  const nothing = { clause, share: 1 - known };
  const options: readonly Pick[] = [...picks.slice(0, maxLabels), nothing];
  return options.toSorted((a, b) => b.share - a.share);
}

/** "Drop the logging, add type hints" is one change, "review a.py and b.py" one review of both. */
function mergeDetails(picks: readonly Pick[]): readonly Pick[] {
  const merged = new Map<string | undefined, Pick>();
  for (const pick of picks) {
    const name = pick.profile?.entry.name;
    const known = merged.get(name);
    const words = [...(known?.clause.words ?? []), ...pick.clause.words];
    const paths = [...(known?.clause.paths ?? []), ...pick.clause.paths];
    const first = known ?? pick;
    merged.set(name, { ...first, clause: { ...first.clause, words, paths } });
  }
  return [...merged.values()];
}

function writeReading(
  picks: readonly Pick[],
  share: number,
  situation: Situation,
): readonly Reading[] {
  const { prose } = situation;
  const choices = picks.flatMap(({ clause, profile }): readonly Choice[] => {
    const { words } = clause;
    const text = prose.slice(words[0]?.from ?? 0, words.at(-1)?.to ?? prose.length).trim();
    return profile ? [{ clause, profile, slots: readSlots(words, prose), text }] : [];
  });
  const drafted = draftSteps(choices, situation);
  if (drafted.drafts.length === 0) return [];
  const plan = writePlan(drafted.drafts, prose);
  const confidence = Math.round(Math.max(0.05, Math.min(0.95, share)) * 100) / 100;
  return [{ drafted, candidate: { plan, confidence, why: explain(drafted) } }];
}

function explain({ drafts }: Drafted): string {
  const deeds = drafts.map(({ profile: { entry }, subject, target }) => {
    const title = entry.tool.title ?? entry.tool.annotations?.title ?? entry.name;
    const path = subject?.path?.path;
    const where = target ?? (path === '.' ? 'the whole project' : path);
    return where === undefined ? title : `${title} (${where})`;
  });
  const isTemplate = drafts.some(({ profile }) => profile.needsModel);
  return `${deeds.join(', then ')}.${isTemplate ? ' Without a model this gives a template only.' : ''}`;
}
