import type { PlanCandidate } from '../../contract/agent/index.ts';
import { draftSteps, type Choice, type Drafted } from './draft-steps.ts';
import type { Clause, Split } from './read-clauses.ts';
import type { Situation } from './planner.ts';
import { readSlots } from './read-slots.ts';
import { has } from './read-words.ts';
import { isWriter, takes, type ToolProfile } from './tool-profile.ts';
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
/** A clause may always be one that asks for nothing. */
const minNothing = 0.08;

/** A clause with what it is taken for; without a tool it asks for nothing. */
interface Pick {
  readonly clause: Clause;
  readonly profile?: ToolProfile;
  readonly isChange: boolean;
  readonly share: number;
}

interface Interpretation {
  readonly picks: readonly Pick[];
  readonly weight: number;
}

/** All that the message may ask for, most likely first. What calls the same tools is one reading. */
export function offerReadings(splits: readonly Split[], situation: Situation): readonly Reading[] {
  const readings = new Map<string, { best: Interpretation; total: number }>();
  for (const interpretation of splits.flatMap((split) => interpret(split, situation))) {
    const picks = mergeDetails(interpretation.picks);
    const key = picks
      .map(({ profile }) => profile?.entry.name ?? '')
      .toSorted()
      .join();
    if (key === '') continue;
    const known = readings.get(key);
    const isBetter = !known || known.best.weight < interpretation.weight;
    readings.set(key, {
      best: isBetter ? { ...interpretation, picks } : known.best,
      total: (known?.total ?? 0) + Math.exp(interpretation.weight),
    });
  }
  const sum = [...readings.values()].reduce((all, { total }) => all + total, 0);
  return [...readings.values()]
    .toSorted((a, b) => b.total - a.total)
    .slice(0, maxReadings)
    .flatMap(({ best, total }) => writeReading(inWorkingOrder(best.picks), total / sum, situation));
}

/** The likeliest tool for every clause, and every way in which one clause is taken for something else. */
function interpret({ clauses, weight }: Split, { tools }: Situation): readonly Interpretation[] {
  const options = clauses.map((clause) => optionsFor(clause, tools));
  const refused = new Set(
    options.flatMap(([best], at) => (clauses[at]?.isNegated === true ? (best?.profile ?? []) : [])),
  );
  const best = options.flatMap(([first]) => first ?? []);
  const others = options.flatMap((some, at) =>
    some.slice(1).map((other) => best.map((one, index) => (index === at ? other : one))),
  );
  return [best, ...others].map((picks) => ({
    picks: picks.filter(
      ({ clause, profile }) => profile && !clause.isNegated && !refused.has(profile),
    ),
    weight: picks.reduce((total, { share }) => total + Math.log(share), weight),
  }));
}

function optionsFor(clause: Clause, tools: Situation['tools']): readonly Pick[] {
  const picks = clause.guesses.flatMap(({ label, share }): readonly Pick[] => {
    const profile = tools.get(label.replace(/#change$/u, ''));
    return profile ? [{ clause, profile, share, isChange: label.endsWith('#change') }] : [];
  });
  const known = picks.reduce((total, { share }) => total + share, 0);
  const nothing = { clause, isChange: false, share: Math.max(minNothing, 1 - known) };
  return [...picks.slice(0, maxLabels), nothing].toSorted((a, b) => b.share - a.share);
}

/** "Drop the logging, add type hints" is one change: the same tool again is for something of its own. */
function mergeDetails(picks: readonly Pick[]): readonly Pick[] {
  const merged: Pick[] = [];
  for (const pick of picks) {
    const at = merged.findLastIndex(({ profile }) => profile === pick.profile);
    const same = merged[at];
    if (same && !isOfItsOwn(pick, same)) {
      const words = [...same.clause.words, ...pick.clause.words];
      const paths = [...same.clause.paths, ...pick.clause.paths];
      merged[at] = { ...same, clause: { ...same.clause, words, paths } };
    } else merged.push(pick);
  }
  return merged;
}

function isOfItsOwn({ clause, profile, isChange }: Pick, same: Pick): boolean {
  if (clause.paths.some(({ path }) => !same.clause.paths.some((one) => one.path === path)))
    return same.clause.paths.length > 0;
  const isNew = profile !== undefined && takes(profile, 'task', 'required') && !isChange;
  return isNew && has(clause.words[0], 'indefinite') && has(clause.words.at(-1), 'software');
}

/** Code that is to be written comes before what needs it, its specification first. */
function inWorkingOrder(picks: readonly Pick[]): readonly Pick[] {
  const stage = ({ clause, profile, isChange }: Pick): number => {
    if (!profile || clause.paths.length > 0 || clause.pointsBack) return 2;
    if (profile.output.kind === 'spec') return 0;
    return takes(profile, 'task', 'required') && !isChange ? 1 : 2;
  };
  const isMade = picks.some((pick) => stage(pick) === 1);
  return isMade ? picks.toSorted((a, b) => stage(a) - stage(b)) : picks;
}

function writeReading(
  picks: readonly Pick[],
  share: number,
  { context, reading, tools, prose, request }: Situation,
): readonly Reading[] {
  const choices = picks.flatMap(({ clause, profile, isChange }): readonly Choice[] => {
    const { words } = clause;
    const text = prose.slice(words[0]?.from ?? 0, words.at(-1)?.to ?? prose.length).trim();
    return profile ? perLanguage({ clause, profile, isChange, slots: readSlots(words), text }) : [];
  });
  const profiles = [...tools.values()];
  const ours = profiles.filter(({ entry }) => request.isOwn(entry.server));
  const drafted = draftSteps(choices, {
    context,
    hasFiles: reading.hasFiles,
    files: reading.files,
    templates: new Set(profiles.flatMap((one) => (one.needsModel ? one.entry.name : []))),
    message: prose,
    reader: ours.find(isReader) ?? profiles.find(isReader),
    writer: ours.find(isWriter),
    maker: ours.find(
      (one) => takes(one, 'task', 'required') && takes(one, 'code') && one.output.kind === 'code',
    ),
  });
  if (drafted.drafts.length === 0) return [];
  const { lastRequest } = context;
  const plan = writePlan(drafted.drafts, { message: prose, lastRequest });
  const confidence = Math.round(Math.max(0.05, Math.min(0.95, share)) * 100) / 100;
  return [{ drafted, candidate: { plan, confidence, why: explain(drafted) } }];
}

/** Reads one file into text. */
function isReader(profile: ToolProfile): boolean {
  const name = new Set(profile.examples[0]);
  const required = profile.fields.filter(({ isRequired }) => isRequired);
  const isNamed = name.has('verb:read') && name.has('noun:file') && !isWriter(profile);
  return isNamed && required.length === 1 && required[0]?.role === 'path';
}

/** "in Python, Java and again in Go": one for each. */
function perLanguage(choice: Choice): readonly Choice[] {
  const { languages } = choice.slots;
  const named = choice.clause.words.map(({ meaning }) =>
    meaning.names.languages === undefined ? '-' : 'L',
  );
  const isList =
    /L(?:-{1,4}L)+/u.test(named.join('')) && !/\b(?:to|from|into|nach|vers)\b/iu.test(choice.text);
  const isNew = takes(choice.profile, 'task', 'required') && takes(choice.profile, 'language');
  if (!isNew || choice.isChange || languages.length < 2 || !isList) return [choice];
  return languages.map((one) => ({ ...choice, slots: { ...choice.slots, languages: [one] } }));
}

function explain({ drafts }: Drafted): string {
  const deeds = drafts.map(({ profile: { entry }, subject, target }) => {
    const title = entry.tool.title ?? entry.tool.annotations?.title ?? entry.name;
    const path = subject?.from === 'material' ? subject.material.path?.path : undefined;
    const where = target ?? (path === '.' ? 'the whole project' : path);
    return where === undefined ? title : `${title} (${where})`;
  });
  const isTemplate = drafts.some(({ profile }) => profile.needsModel);
  return `${deeds.join(', then ')}.${isTemplate ? ' Without a model this gives a template only.' : ''}`;
}
