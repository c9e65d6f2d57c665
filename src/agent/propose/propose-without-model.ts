import type { Attachment, PlanCandidate, Proposal } from '../../contract/agent/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { Preference } from '../../contract/preference/index.ts';
import type { Turn } from '../../contract/session/index.ts';
import type {
  AboutTopic,
  Planner,
  PlanningAnswer,
  PlanningRequest,
  ProjectFiles,
} from '../planner/index.ts';
import { applyPreferences } from './apply-preferences.ts';
import { createCapability, isHousekeeping, isOfferable } from './capability.ts';
import { findDefinition } from './find-definition.ts';
import type { GuardRules } from './guard-plan.ts';
import { type ListChanges, planUndo } from './name-undo.ts';
import { planMessage } from './plan-message.ts';
import { judgePlan, type PlanChecker } from './propose-with-model.ts';

export interface WithoutModelParts {
  readonly planner: Planner;
  readonly workflows: PlanChecker;
  readonly optimize: boolean;
}

export interface WithoutModelRequest {
  readonly caller: Caller;
  readonly words: string;
  readonly entries: readonly CatalogueEntry[];
  readonly attachments: readonly Attachment[];
  readonly remembered: PlanningRequest['remembered'];
  readonly history: readonly Turn[];
  readonly files: ProjectFiles;
  /** Without it a name is not looked up in the project. */
  readonly readFile?: ((path: string) => Promise<string | undefined>) | undefined;
  /** Changes that can be undone; without it "undo the rename" undoes the last change. */
  readonly changes?: ListChanges | undefined;
  readonly rules: Omit<GuardRules, 'capability'>;
  readonly preferences: readonly Preference[];
  readonly signal: AbortSignal;
}

export type ProposedWithoutModel =
  | { readonly kind: 'proposal'; readonly proposal: Proposal; readonly why: string }
  | {
      readonly kind: 'question';
      readonly questions: readonly string[];
      readonly candidates: readonly PlanCandidate[];
      readonly confidence: number;
    }
  | Extract<PlanningAnswer, { kind: 'refusal' }>
  | { readonly kind: 'about'; readonly topic: AboutTopic };

const maxCandidates = 3;

/** A plan by the planner that needs no model: the best candidate that passes, the others beside it. */
export async function proposeWithoutModel(
  parts: WithoutModelParts,
  request: WithoutModelRequest,
): Promise<ProposedWithoutModel> {
  const planned = await planWords(parts, request);
  if (planned.kind === 'refusal' || planned.kind === 'about') return planned;
  const passed = await passing(parts, request, planned.candidates.slice(0, maxCandidates));
  const [best, ...others] = passed.proposals;
  if (planned.kind === 'question') {
    return {
      kind: 'question',
      questions: planned.questions,
      candidates: passed.proposals.map(candidateOf),
      confidence: best?.confidence ?? 0,
    };
  }
  if (!best) {
    const reason = `No plan could be made of it that these tools can run: ${passed.problems[0] ?? 'nothing fits'}`;
    return { kind: 'refusal', reason };
  }
  const { why, ...proposal } = best;
  const { notUnderstood } = planned;
  return {
    kind: 'proposal',
    proposal: {
      ...proposal,
      others: others.map(candidateOf),
      ...(notUnderstood && { notUnderstood }),
    },
    why,
  };
}

async function planWords(
  { planner }: WithoutModelParts,
  request: WithoutModelRequest,
): Promise<PlanningAnswer> {
  const { words, attachments, remembered, history, files, readFile, signal, rules } = request;
  const planning = {
    // Where code was pasted says nothing to it: it gets the code itself.
    message: words.replaceAll(/\[pasted code \d{1,6}\]/g, '').trim(),
    tools: request.entries.filter((entry) => isOfferable(entry) && !isHousekeeping(entry)),
    attachments,
    remembered,
    history,
    files,
    isOwn: rules.isTrusted,
    maxSteps: rules.maxSteps,
    signal,
  };
  const plan = (message: string): Promise<PlanningAnswer> =>
    planMessage(planner, { ...planning, message });
  const { message: said } = planning;
  const planned = request.changes
    ? await planUndo({ message: said, plan, list: request.changes })
    : await plan(said);
  if (planned.kind !== 'question' || readFile === undefined) return planned;
  const project = { list: (limit: number) => files.list(limit), read: readFile };
  const path = await findDefinition(planning.message, project, signal);
  if (path === undefined) return planned;
  const message = `${planning.message} in ${path}`;
  const located = await planMessage(planner, { ...planning, message });
  if (located.kind !== 'plan') return planned;
  // The name has led to the file.
  const { notUnderstood: _, ...understood } = located;
  return understood;
}

function candidateOf({ plan, why, confidence }: Explained): PlanCandidate {
  return { plan, why, confidence };
}

/** A proposal with what the planner says about it. */
type Explained = Proposal & { readonly why: string };

async function passing(
  parts: WithoutModelParts,
  { entries, rules, caller, preferences }: WithoutModelRequest,
  candidates: readonly PlanCandidate[],
): Promise<{ readonly proposals: readonly Explained[]; readonly problems: readonly string[] }> {
  const proposals: Explained[] = [];
  const problems: string[] = [];
  for (const { plan, confidence, why } of candidates) {
    // The planner reads nothing but the user's words, so what it chose is what they ask for.
    const named = new Set(plan.steps.map(({ tool }) => tool));
    const asked = entries.filter(({ name }) => named.has(name));
    const capability = createCapability({ offered: [], asked, isTrusted: rules.isTrusted });
    const judged = await judgePlan(parts, {
      plan: applyPreferences(plan, { entries, preferences }),
      inputs: [],
      rules: { ...rules, capability },
      caller,
    });
    if (judged.kind === 'refused') problems.push(...judged.problems);
    else {
      const made = { madeBy: 'planner', others: [] } as const;
      proposals.push({ plan: judged.plan, confidence, why, ...made });
    }
  }
  return { proposals, problems };
}
