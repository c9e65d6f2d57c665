import type { Proposal } from '../../contract/agent/index.ts';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { Remembered, Session } from '../../contract/session/index.ts';
import { needsModelMetaKey } from '../../contract/tool/index.ts';
import { readSchedule } from '../intent/index.ts';
import { proposeWithoutModel } from '../propose/index.ts';
import { answerAbout } from './answer-about.ts';
import { answerFromNotes } from './answer-note.ts';
import { changesSaid } from './changes-said.ts';
import { carryOut } from './carry-out.ts';
import {
  guardRules,
  latestRemembered,
  base,
  plainReply,
  preferencesFor,
  type Reply,
  type Turn,
} from './turn.ts';
import { loadText } from './kept-texts.ts';

const connect =
  'No model is connected; "tutti models" tells which there are and how to connect one.';

/** Results of one kind that a message may mean: "apply them", "apply that of a.py". */
const maxOfKind = 10;

/** What became of a model before the planner was asked. */
export interface TriedModel {
  /** The one that took part; null when none did. */
  readonly model: string | null;
  /** Why a plan of its was refused. */
  readonly problem?: string;
  /** Why it could not be used, though there is one. */
  readonly failure?: string;
}

/** From a message to a reply without a model: by what was told before, or by the planner. */
export async function respondWithoutModel(
  turn: Turn,
  tried: TriedModel = { model: null },
): Promise<Reply> {
  return (await answerFromNotes(turn)) ?? respondByPlanner(turn, tried);
}

async function respondByPlanner(
  turn: Turn,
  { model, problem, failure }: TriedModel,
): Promise<Reply> {
  const { parts, request, options, before, words, attachments } = turn;
  const { caller } = request;
  const planner = await parts.planner();
  const entries = await parts.tools.entries();
  const remembered = await rememberedFor(turn, entries);
  const schedule = readSchedule(words);
  const proposed = await proposeWithoutModel(
    { planner, workflows: parts.workflows, optimize: parts.settings.optimizeChains },
    {
      caller,
      words: schedule?.deed ?? words,
      entries,
      attachments,
      remembered,
      history: before.turns.slice(-parts.settings.contextTurns),
      files: parts.files,
      readFile: parts.readFile,
      changes: parts.changes && (() => changesSaid(turn)),
      rules: guardRules(turn),
      preferences: preferencesFor(turn),
      signal: options.signal,
    },
  );
  const noModel =
    failure !== undefined ? `The model cannot be used: ${failure}` : model === null ? connect : '';
  switch (proposed.kind) {
    case 'proposal': {
      const once = schedule
        ? `Tutti has no scheduler, so "${schedule.when}" is not used: this runs once, now. For repeats, let cron or your CI call "tutti ask --yes".`
        : '';
      const missing = needsModel(proposed.proposal, entries) ? noModel : '';
      const note = [once, missing].filter((text) => text !== '').join('\n');
      return carryOut(turn, { ...proposed, isFree: false, model, note });
    }
    case 'question': {
      const { candidates, confidence } = proposed;
      const { maxQuestions } = parts.settings.clarification;
      const questions = proposed.questions.slice(0, Math.max(1, maxQuestions));
      const known = base(turn, { confidence, model });
      return plainReply({ ...known, kind: 'question', questions, candidates });
    }
    case 'about':
      return answerAbout(turn, proposed.topic);
    case 'refusal': {
      const why = [
        ...(problem === undefined
          ? []
          : [`The model made no plan that passes the check: ${problem}`]),
        proposed.reason,
        // Some reasons say how to connect a model themselves.
        ...(proposed.isFinal || proposed.reason.includes('"tutti models"') ? [] : [noModel]),
      ];
      const reason = why.join(' ');
      return plainReply({ ...base(turn, { confidence: 0, model }), kind: 'refusal', reason });
    }
  }
}

async function rememberedFor(
  { parts, request: { caller }, before }: Turn,
  entries: readonly CatalogueEntry[],
) {
  const remembered = [];
  for (const item of latestRemembered(before, maxOfKind)) {
    const content = await loadText(item, { parts, caller });
    const path = fileBehind(item, before);
    const isFile = path !== undefined && (await parts.files.kind(path)) === 'file';
    // The file itself is what "it" means then, and nothing is to be applied.
    if (isFile && item.isUnchanged) continue;
    if (isFile && item.kind === 'code' && isChangedSince({ item, path }, before, entries)) continue;
    remembered.push({
      ...item,
      ...(content !== undefined && { content }),
      ...(isFile && { path }),
    });
  }
  return remembered;
}

/** Whether a later run may have changed the file, so that what was made of it before must not replace it. */
function isChangedSince(
  { item, path }: { readonly item: Remembered; readonly path: string },
  { turns }: Session,
  entries: readonly CatalogueEntry[],
): boolean {
  const changing = new Set(
    entries.filter(({ tool }) => tool.annotations?.destructiveHint).map(({ name }) => name),
  );
  const at = turns.findLastIndex(({ runId }) => runId !== undefined && runId === item.runId);
  const steps = turns
    .slice(at + 1)
    .flatMap(({ runId, plan }) => (runId !== undefined && plan ? plan.steps : []));
  return steps.some(({ tool = '', args = {} }) => {
    const where = args['path'];
    const isBelow = typeof where !== 'string' || where === '.' || path.startsWith(`${where}/`);
    return changing.has(tool) && (isBelow || where === path);
  });
}

/** The file that a result was made of: the path its step was given, or the step whose result it took. */
function fileBehind({ runId, step }: Remembered, { turns }: Session): string | undefined {
  const made = turns.find((turn) => runId !== undefined && turn.runId === runId);
  let steps = made?.plan?.steps ?? [];
  let at = steps.findIndex(({ id }) => id === step);
  while (at >= 0) {
    const args = steps[at]?.args ?? {};
    const { path } = args;
    if (typeof path === 'string') return path.includes('${') ? undefined : path;
    const taken = JSON.stringify(args);
    steps = steps.slice(0, at);
    at = steps.findLastIndex(({ id }) => taken.includes(`\${${id}.`));
  }
  return undefined;
}

/** Whether a plan, or another reading beside it, calls a tool that gives only a template without a model. */
function needsModel({ plan, others }: Proposal, entries: readonly CatalogueEntry[]): boolean {
  const named = new Set(
    [plan, ...others.map((one) => one.plan)].flatMap(({ steps }) => steps.map(({ tool }) => tool)),
  );
  return entries.some(
    ({ name, tool }) => named.has(name) && tool._meta?.[needsModelMetaKey] === true,
  );
}
