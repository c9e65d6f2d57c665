import type { AskOutcome, Proposal } from '../../contract/agent/index.ts';
import type { Plan } from '../../contract/plan/index.ts';
import type { RunView } from '../../contract/run/index.ts';
import {
  isCheapToTry,
  missingInputs,
  noteOnPreferences,
  noteOnReads,
  preferencesUsed,
  previewPlan,
  previewSteps,
  supplyInputs,
  type UsedPreference,
} from '../propose/index.ts';
import {
  askQuestions,
  canBeAsked,
  choosePlan,
  confirmPlan,
  isShownForApproval,
} from './ask-client.ts';
import { hideInValue } from '../answer/index.ts';
import { followToEnd } from './follow-to-end.ts';
import { replyAboutRun } from './reply-about-run.ts';
import { base, plainReply, tell, type Reply, type Turn } from './turn.ts';

export interface Undertaking {
  readonly proposal: Proposal;
  /** No step has an effect or sends anything out. */
  readonly isFree: boolean;
  /** What it reads that the user did not name. */
  readonly reads?: readonly string[];
  /** It was planned with results or documents in sight, so a person looks at it first. */
  readonly isTainted?: boolean;
  /** The user saw it and said yes. */
  readonly isAccepted?: boolean;
  readonly why?: string;
  /** Shown below the plan. */
  readonly note?: string;
  readonly model: string | null;
  /** Lets the model look at a run that failed and try another way; absent where no model could. */
  readonly goOn?: (runId: string) => Promise<Reply>;
}

/** Shows a plan that passed, or runs it and says what came of it. */
export async function carryOut(turn: Turn, work: Undertaking): Promise<Reply> {
  const { request, options, emit } = turn;
  const { proposal, model } = work;
  emit({ kind: 'plan', proposal });
  const used = await preferencesIn(turn, proposal.plan);
  if (request.planOnly) return plainReply(await planOutcome(turn, work, used));
  const mustShow = needsPreview(turn, work, used);
  const isChoice = mustShow && proposal.others.length > 0 && canBeAsked(options.client);
  const lacking = missingInputs(proposal.plan);
  if (lacking.length > 0 && !isChoice) return askForInputs(turn, work);
  if (mustShow) {
    const shown = await planOutcome(turn, work, used);
    const chosen = await askWhich(turn, shown);
    if (chosen === undefined) return plainReply(shown);
    if (chosen === 'none') {
      await rejectPlan(turn, proposal.plan);
      return nothingRun(turn, { confidence: proposal.confidence, model });
    }
    if (isChoice) {
      const meant = { ...proposal, plan: chosen, others: [] };
      return carryOut(turn, { ...work, proposal: meant, isAccepted: true });
    }
  }
  if (request.acceptPreview && isDoubtful(proposal)) {
    if (!(await isCheap(turn, proposal.plan))) return notRunInDoubt(turn, work, used);
    await tellDoubt(turn, proposal);
  }
  await followPreferences(turn, used, { isSeen: mustShow || work.isAccepted === true });
  const { view, runId } = await run(turn, proposal.plan, model !== null);
  if (view.status === 'failed' && work.goOn && !isDenied(view)) return work.goOn(runId);
  return replyAboutRun(turn, {
    view,
    runId,
    plan: proposal.plan,
    model,
    confidence: proposal.confidence,
  });
}

function isDoubtful({ others, notUnderstood = [] }: Proposal): boolean {
  return others.length > 0 || notUnderstood.length > 0;
}

async function isCheap({ parts }: Turn, { steps }: Plan): Promise<boolean> {
  const entries = new Map((await parts.tools.entries()).map((entry) => [entry.name, entry]));
  return steps.every(({ tool = '' }) => {
    const entry = entries.get(tool);
    return entry !== undefined && isCheapToTry(entry);
  });
}

/** A yes in advance is for what is clearly meant: an effect or something costly waits for a number. */
async function notRunInDoubt(
  turn: Turn,
  work: Undertaking,
  used: readonly UsedPreference[],
): Promise<Reply> {
  const text =
    'Not run: it is not clear what is meant, and this would change something or take long. Take a reading by its number.';
  turn.emit({ kind: 'notice', text });
  return plainReply(await planOutcome(turn, work, used));
}

/** A yes that came before the plan was seen must not hide how the message was understood. */
async function tellDoubt(
  turn: Turn,
  { plan, others, notUnderstood = [] }: Proposal,
): Promise<void> {
  const count = others.length === 0 ? '' : `, the first of ${others.length + 1} readings`;
  const unread = notUnderstood.length === 0 ? '' : `Not used: ${notUnderstood.join(', ')}. `;
  const steps = previewSteps(await withoutSecrets(plan, turn));
  const text = `Not sure: this is what runs${count}.\n${steps}\n${unread}--plan-only shows plans without running one.`;
  turn.emit({ kind: 'notice', text });
}

/** The plan that the person at the client accepts; undefined where the client cannot be asked, or they did not answer. */
async function askWhich(
  { options }: Turn,
  { plan, candidates, preview }: Extract<AskOutcome, { kind: 'plan' }>,
): Promise<Plan | 'none' | undefined> {
  const { client, signal } = options;
  if (!canBeAsked(client)) return undefined;
  const count = candidates.length;
  if (count > 1) {
    const position = await choosePlan(client, { preview, count }, signal);
    return position === undefined ? undefined : (candidates[position]?.plan ?? 'none');
  }
  const isAccepted = await confirmPlan(client, preview, signal);
  return isAccepted ? plan : isAccepted === false ? 'none' : undefined;
}

/** Asks for values that neither the user nor a step supplies, before anything runs. */
async function askForInputs(turn: Turn, work: Undertaking): Promise<Reply> {
  const { proposal, model } = work;
  const { options } = turn;
  const { maxQuestions } = turn.parts.settings.clarification;
  // The others are asked for once these are answered.
  const questions = missingInputs(proposal.plan)
    .slice(0, Math.max(1, maxQuestions))
    .map(({ question }) => question);
  if (canBeAsked(options.client)) {
    const answers = await askQuestions(options.client, questions, options.signal);
    const plan = answers && supplyInputs(proposal.plan, answers);
    if (plan && plan !== proposal.plan) {
      return carryOut(turn, { ...work, proposal: { ...proposal, plan } });
    }
  }
  const known = base(turn, { confidence: proposal.confidence, model });
  const { plan, confidence } = proposal;
  const candidates = [{ plan, why: work.why ?? '', confidence }];
  return plainReply({ ...known, kind: 'question', questions, candidates });
}

/** A user who does not want the plan that was shown. */
export function nothingRun(
  turn: Turn,
  known: { readonly confidence: number; readonly model: string | null },
): Reply {
  const answer = 'Nothing was run. Say what you want instead.';
  tell(turn, answer);
  return plainReply({ ...base(turn, known), kind: 'answer', answer });
}

/** A person said no: that is their answer, not a failure to work around. */
export function isDenied({ steps }: RunView): boolean {
  return Object.values(steps).some(({ error }) => error?.code === 'workflow.approval_denied');
}

/** The preferences that a plan follows, as it would run. */
async function preferencesIn(
  { parts, preferences }: Turn,
  plan: Plan,
): Promise<readonly UsedPreference[]> {
  if (preferences.length === 0) return [];
  return preferencesUsed(plan, { entries: await parts.tools.entries(), preferences });
}

/** What a plan that runs owes to preferences is told where it was not shown before, and accepted with it. */
async function followPreferences(
  { parts, request, emit }: Turn,
  used: readonly UsedPreference[],
  { isSeen }: { readonly isSeen: boolean },
): Promise<void> {
  const followed = used.filter(({ preference: { state } }) => isSeen || state === 'active');
  if (followed.length === 0) return;
  if (!isSeen) emit({ kind: 'notice', text: noteOnPreferences(followed, Date.now()) });
  const fresh = followed.map(({ preference }) => preference);
  await parts.memory.settle(request.caller, fresh, 'accepted');
}

/** The user does not want a plan: what it followed as a suggestion is not suggested again. */
export async function rejectPlan(turn: Turn, plan: Plan | undefined): Promise<void> {
  const used = plan ? await preferencesIn(turn, plan) : [];
  const { parts, request } = turn;
  const followed = used.map(({ preference }) => preference);
  if (followed.length > 0) await parts.memory.settle(request.caller, followed, 'rejected');
}

export function needsPreview(
  { request, parts, options }: Turn,
  work: Undertaking,
  used: readonly UsedPreference[] = [],
): boolean {
  const { plan, others } = work.proposal;
  if (request.acceptPreview || work.isAccepted) return false;
  // A preference is shown before it acts for the first time.
  if (used.some(({ preference }) => preference.acceptedAt === undefined)) return true;
  if (others.length === 0 && isShownForApproval(options.client, plan)) return false;
  if (work.proposal.madeBy === 'planner' || work.isTainted) return true;
  const { preview } = parts.settings;
  const isFree = work.isFree && (work.reads ?? []).length === 0;
  return preview === 'always' || (preview === 'effects' && !isFree);
}

async function planOutcome(
  turn: Turn,
  { proposal, model, why = '', note: more = '', reads = [] }: Undertaking,
  used: readonly UsedPreference[] = [],
): Promise<Extract<AskOutcome, { kind: 'plan' }>> {
  const { plan, madeBy, confidence, others, notUnderstood = [] } = proposal;
  const candidates = [{ plan, why, confidence }, ...others];
  const preferred = noteOnPreferences(used, Date.now());
  const note = [preferred, more, model === null ? '' : noteOnReads(reads)]
    .filter((text) => text !== '')
    .join('\n');
  const shown = await Promise.all(
    candidates.map(async (one) => ({ ...one, plan: await withoutSecrets(one.plan, turn) })),
  );
  const preview = previewPlan({ candidates: shown, madeBy, notUnderstood, note });
  return {
    ...base(turn, { confidence, model }),
    kind: 'plan',
    plan,
    candidates,
    ...(notUnderstood.length > 0 && { notUnderstood }),
    preview,
    madeBy,
  };
}

/** Anything that is long or named like one may be a secret; the engine that knows is loaded for no other plan. */
const maybeSecret = /[\w+=-]{16,}|passw|secret|token|key/iu;

/** The plan as it may be shown: code that was pasted can hold a key. */
async function withoutSecrets(plan: Plan, { parts }: Turn): Promise<Plan> {
  const values = JSON.stringify([plan.input, plan.steps.map(({ args }) => args)]);
  const hide = maybeSecret.test(values) ? await parts.hideSecrets?.() : undefined;
  if (!hide) return plan;
  const steps = plan.steps.map(({ args, ...step }) => ({
    ...step,
    ...(args && { args: Object(hideInValue(args, hide)) }),
  }));
  const input = plan.input && { input: Object(hideInValue(plan.input, hide)) };
  return { ...plan, ...input, steps };
}

async function run(
  turn: Turn,
  plan: Plan,
  hasModel: boolean,
): Promise<{ readonly view: RunView; readonly runId: string }> {
  const { parts, request, session } = turn;
  const { caller } = request;
  // Checked once more where runs are stored: nothing that did not pass can reach execution.
  const { runId } = await parts.workflows.start(caller, {
    source: { kind: 'data', plan },
    input: {},
    optimize: parts.settings.optimizeChains,
  });
  await parts.models.linkBudgets(caller, `run:${runId}`, `session:${session.id}`);
  return { runId, view: await followToEnd(turn, { runId, plan, hasModel }) };
}
