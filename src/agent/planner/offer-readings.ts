import type { PlanCandidate } from '../../contract/agent/index.ts';
import { draftSteps, isWriter, type Choice, type Drafted } from './draft-steps.ts';
import type { Ranked } from './rank-tools.ts';
import { readSlots } from './read-slots.ts';
import { minScore, type Situation, type Wish } from './read-wishes.ts';
import type { ToolProfile } from './tool-profile.ts';
import { writePlan } from './write-plan.ts';

/** One way to understand the message, as a whole plan. */
export interface Reading {
  readonly drafted: Drafted;
  readonly candidate: PlanCandidate;
}

/** Another tool has to fit at least this well in comparison to the best. */
const otherTool = 0.5;
const maxOthers = 3;

/** The best reading first, then others that call other tools. */
export function offerReadings(wishes: readonly Wish[], situation: Situation): readonly Reading[] {
  const best = wishes.map(({ ranked }) => ranked[0]);
  const doubts = wishes
    .flatMap(({ ranked: [first, ...others] }, at) => {
      const top = first?.score ?? 0;
      const isOther = ({ score }: Ranked): boolean =>
        score >= Math.max(minScore * 0.8, top * otherTool);
      const good = others.slice(0, maxOthers).filter(isOther);
      return good.map((other) => ({ at, other, cost: top - other.score }));
    })
    .toSorted((a, b) => a.cost - b.cost);
  const others = doubts.map(({ at, other }) =>
    best.map((one, index) => (index === at ? other : one)),
  );
  const picks = [best, ...others.slice(0, 1), ...withoutWeakest(best), ...others.slice(1)];
  const seen = new Set<string>();
  return picks.flatMap((picked) => {
    const made = readingOf(wishes, picked, situation);
    const tools = made?.candidate.plan.steps.map(({ tool }) => tool ?? '') ?? [];
    const key = tools.toSorted().join();
    if (!made || seen.has(key)) return [];
    seen.add(key);
    return [made];
  });
}

/** A clause that fits badly may only describe another. */
function withoutWeakest(
  best: readonly (Ranked | undefined)[],
): readonly (readonly (Ranked | undefined)[])[] {
  if (best.length < 2) return [];
  const scores = best.map((one) => one?.score ?? 0);
  const weakest = scores.indexOf(Math.min(...scores));
  return [best.map((one, at) => (at === weakest ? undefined : one))];
}

function readingOf(
  wishes: readonly Wish[],
  picked: readonly (Ranked | undefined)[],
  { context, reading, profiles, prose, request }: Situation,
): Reading | undefined {
  const choices = wishes.flatMap(({ frame, text }, at): readonly Choice[] => {
    const profile = picked[at]?.profile;
    if (!profile) return [];
    return perLanguage({ frame, profile, slots: readSlots(frame.words), text });
  });
  const reader = readerAmong(profiles, request.isOwn);
  const writer = profiles.find(
    (profile) => request.isOwn(profile.entry.server) && isWriter(profile),
  );
  const { hasFiles, files } = reading;
  const templates = new Set(profiles.flatMap((one) => (one.needsModel ? one.entry.name : [])));
  const drafted = draftSteps(choices, {
    context,
    hasFiles,
    files,
    templates,
    reader,
    writer,
  });
  if (drafted.drafts.length === 0) return undefined;
  const { lastRequest } = context;
  const plan = writePlan(drafted.drafts, {
    message: prose,
    ...(lastRequest !== undefined && { lastRequest }),
  });
  const score = Math.min(1, ...picked.flatMap((one) => one?.score ?? []));
  const confidence = Math.round(Math.max(0.05, Math.min(0.95, score)) * 100) / 100;
  return { drafted, candidate: { plan, confidence, why: explain(drafted) } };
}

/** "in Python, Java and again in Go": one for each. */
function perLanguage(choice: Choice): readonly Choice[] {
  const { languages } = choice.slots;
  const named = choice.frame.words.map(({ meaning }) =>
    meaning.names.languages === undefined ? '-' : 'L',
  );
  const isList =
    /L(?:-{1,4}L)+/u.test(named.join('')) && !/\b(?:to|from|into|nach|vers)\b/iu.test(choice.text);
  if (!choice.frame.isMaking || languages.length < 2 || !isList) return [choice];
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

/** The tool that reads one file into text, one of ours if there is one. */
function readerAmong(
  profiles: readonly ToolProfile[],
  isOwn: (server: string) => boolean,
): ToolProfile | undefined {
  const readers = profiles.filter((profile) => {
    const required = profile.fields.filter(({ isRequired }) => isRequired);
    const [name] = profile.phrases;
    const isReader = name?.has('read') === true && name.has('file') && !isWriter(profile);
    return isReader && required.length === 1 && required[0]?.role === 'path';
  });
  return readers.find(({ entry }) => isOwn(entry.server)) ?? readers[0];
}
