import type { Plan } from '../../contract/plan/index.ts';
import type { Turn as SessionTurn } from '../../contract/session/index.ts';
import { resultsOfRun, resultText } from '../answer/index.ts';
import { hideIn, latestRemembered, type Turn } from './turn.ts';

/** What a message wants saved, and where. */
interface SaveRequest {
  readonly path: string;
  /** `review`, `tests`: whose result; absent for "that". */
  readonly of?: string;
}

const lead = String.raw`^(?:(?:please|pls|can you|could you|and|now|then|ok|okay|so)[, ]+)*`;
const verb = String.raw`(?:save|write|put|store|export|dump|record|keep)(?: down)?`;
const pronoun = String.raw`that|this|it|them|these|those|all of (?:it|that|this)|everything`;
const whose = String.raw`(?<whose>tests?|review|scan|lint|analysis|security|search|coverage|audit|check)(?:['’]s)?`;
const result = String.raw`results?|findings?|output|outcome|issues|problems|answer|summary|list|text`;
const named = String.raw`(?:(?:the|these|those|my|your|all|all the|its) )?(?:(?:last|latest) )?(?:${whose} (?:${result}|reports?)|(?<own>review|report|analysis|audit|${result}))(?: (?:of|from|for) (?:the |that |this )?(?<source>tests?|review|scan|analysis|search|audit|check)(?: run)?)?`;
const where = String.raw`(?:as|in|into|to|under)(?: (?:a|the))?(?: (?:new )?file)?(?: (?:called|named))?`;
const path = String.raw`["'\x60]?(?<path>(?:[\w@.+-]+\/)*[\w@+-][\w@.+-]*\.\w{1,10})["'\x60]?`;
const saveRequest = new RegExp(
  String.raw`${lead}${verb} (?:(?<it>${pronoun})|${named}) ${where} ${path}(?: please)?[\s.!]*$`,
  'iu',
);

/** Reads "save that as review.md"; undefined for any other message. */
export function readSave(words: string): SaveRequest | undefined {
  const found = saveRequest.exec(words.trim())?.groups;
  const at = found?.['path'];
  if (!found || at === undefined) return undefined;
  const of = [found['whose'], found['source'], found['own']].find(
    (word) => word !== undefined && !isGeneral.test(word),
  );
  return { path: at, ...(of !== undefined && { of: of.toLowerCase() }) };
}

const isGeneral = new RegExp(String.raw`^(?:${result}|report)$`, 'iu');

/** Tools whose results only say what was written. */
const writes = /^workspace\.(?:apply_changes|replace_text|undo_changes|git_commit)$/u;

/**
 * The plan that writes what was shown last, or the result that is named, to a file; undefined where nothing was
 * shown, and where "it" is code or a text that a step made, which the planner writes.
 */
export async function planSave(turn: Turn, words: string): Promise<Plan | undefined> {
  const asked = turn.attachments.length > 0 ? undefined : readSave(words);
  if (!asked) return undefined;
  const shown = turn.before.turns.findLast((one) => isShown(one) && isOf(one, asked.of));
  if (!shown) return undefined;
  const isMade = latestRemembered(turn.before).some(
    ({ kind, runId }) => runId === shown.runId && kind !== 'review',
  );
  if (isMade && asked.of === undefined) return undefined;
  const text = (await textOf(shown, turn)).trim();
  if (text === '') return undefined;
  const args = { path: asked.path, content: '${input.shown_text}' };
  return {
    version: 1,
    goal: words,
    input: { shown_text: { type: 'string', default: `${text}\n` } },
    steps: [{ id: 'apply_changes', tool: 'workspace.apply_changes', args }],
  };
}

function isShown({ role, outcome, runId, plan }: SessionTurn): boolean {
  const isWriting = plan?.steps.every(({ tool = '' }) => writes.test(tool)) ?? false;
  return role === 'assistant' && outcome === 'answer' && runId !== undefined && !isWriting;
}

function isOf({ plan, text }: SessionTurn, of: string | undefined): boolean {
  if (of === undefined) return true;
  const stem = of.replace(/s$/u, '').slice(0, maxStemChars);
  if (!plan) return text.toLowerCase().includes(stem);
  return plan.steps.some(({ tool = '' }) => tool.includes(stem));
}

/** `analysis` names `analyze_dependencies`. */
const maxStemChars = 6;

/** All that the tools said, also what was cut off when it was shown; of an answer about it, its words. */
async function textOf({ runId, plan, text }: SessionTurn, turn: Turn): Promise<string> {
  if (!plan || runId === undefined) return text;
  const { parts, request } = turn;
  const view = await parts.workflows.show(request.caller, runId);
  const results = await resultsOfRun(view, await parts.artifacts(), request.caller);
  const texts = results.map(resultText).filter((one) => one !== '');
  return hideIn(texts.length === 0 ? text : texts.join('\n\n'), turn);
}
