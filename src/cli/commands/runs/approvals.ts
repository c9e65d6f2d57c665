import { localCaller } from '../../../contract/caller/index.ts';
import type { RunView, Waiting, Workflows } from '../../../contract/run/index.ts';
import {
  digestJson,
  outlineJson,
  outlineLines,
  readShortReply,
  shellWord,
} from '../../../kernel/index.ts';
import { askLine, isAtTerminal } from '../../ask-line.ts';
import { ApprovalUnseenError } from '../../errors.ts';
import { type Invocation, textOption } from '../../invocation.ts';
import { localMinute } from '../../output.ts';
import { singleLine } from '../../printable.ts';

type Verdict = 'approved' | 'denied';

/** Asks the user at the terminal; undefined without an answer. */
type AskPerson = (question: string) => Promise<string | undefined>;

/** After this many questions the decision is left open. */
const maxQuestions = 20;

/**
 * The verdict of the person at the terminal; undefined when there is none, or the question is left for later.
 * What was not shown is not approved: where something is cut, all of it has to be asked for first.
 */
export async function askApproval(
  ask: AskPerson,
  approval: Approval,
): Promise<Verdict | undefined> {
  const { isCut } = showCall(approval);
  let isSeen = !isCut;
  let shown = describeWait(approval);
  for (let count = 0; count < maxQuestions; count += 1) {
    const answer = (await ask(`${shown}\n${choices(isSeen, isCut)}: `)) ?? '';
    if (isCut && asksForAll(answer)) {
      isSeen = true;
      shown = wholeCall(approval);
      continue;
    }
    const said = readShortReply(answer);
    if (said === 'no') return 'denied';
    if (said !== 'yes') return undefined;
    if (isSeen) return 'approved';
    shown = 'Nothing was approved: not all of it was shown yet';
  }
  return undefined;
}

/** Whether this answers a question that offers all of a call. */
export function asksForAll(answer: string, question = offerOfAll): boolean {
  return question.includes(offerOfAll) && /^\s*a(?:ll)?(?: of it)?\s*$/i.test(answer);
}

const offerOfAll = '[a]ll of it';

function choices(isSeen: boolean, isCut: boolean): string {
  const yes = isSeen ? '[y]es, ' : '';
  const all = isCut ? `${offerOfAll}, ` : '';
  return `Approve? ${isSeen ? `${yes}${all}` : all}[n]o, Enter to decide later`;
}

interface WantedApproval {
  readonly runId: string;
  readonly step: string | undefined;
}

/** The one approval that is meant; undefined where there is none, or there are several. */
export async function findApproval(
  workflows: Workflows,
  { runId, step }: WantedApproval,
): Promise<Approval | undefined> {
  const { waitingFor } = await workflows.show(localCaller, runId);
  const [only, ...others] = waitingFor.filter(
    (wait): wait is Approval => wait.kind === 'approval' && (step ?? wait.step) === wait.step,
  );
  return others.length === 0 ? only : undefined;
}

/**
 * Shows what `runs approve` approves. What is too long for that is asked about here, or was shown before: then
 * `--seen` says so. Throws `cli.approval_unseen`. Undefined leaves the choice open.
 */
export async function seeApproval(
  invocation: Invocation,
  workflows: Workflows,
  wanted: WantedApproval,
): Promise<Approval | undefined> {
  const { io, output } = invocation;
  const approval = await findApproval(workflows, wanted);
  if (!approval) return undefined;
  const { isCut } = showCall(approval);
  const isSeen = !isCut || textOption(invocation, 'seen') === seenCode(approval);
  if (isSeen) {
    if (!output.isJson) output.note(describeWait(approval));
    return approval;
  }
  const isAsked = isAtTerminal(io) && !output.isJson;
  const verdict = isAsked && (await askApproval((question) => askLine(io, question), approval));
  if (verdict === 'approved') return approval;
  throw new ApprovalUnseenError(wanted.runId, approval.step);
}

export type Approval = Extract<Waiting, { readonly kind: 'approval' }>;

/** What a person reads before they decide; longer values are cut in their middle, and shown when asked for. */
const limits = { maxValueChars: 1_000, maxLines: 200 };
const codeChars = 8;

/** A call that waits for approval, as it is shown. */
interface ShownCall {
  readonly lines: readonly string[];
  /** Not all of it is in the lines: it is approved only after all of it was shown. */
  readonly isCut: boolean;
}

type Call = Pick<Approval, 'tool' | 'arguments'> &
  Partial<Pick<Approval, 'preview' | 'isPreviewCut' | 'isPartial'>>;

export function showCall(call: Call): ShownCall {
  const { tool, preview } = call;
  if (tool === null) return { lines: [], isCut: false };
  if (preview === undefined) return showArguments(tool, call);
  // A preview shows what the arguments do, which says more than they do themselves.
  const { lines, isCut } = outlineLines(preview.trimEnd().split('\n'), limits);
  const shown = { lines: [`  It calls ${singleLine(tool)}:`, ...lines], isCut };
  if (!call.isPreviewCut) return shown;
  const rest = showArguments(tool, call);
  return { lines: [...shown.lines, ...rest.lines], isCut: isCut || rest.isCut };
}

function showArguments(tool: string, { arguments: args, isPartial }: Call): ShownCall {
  const { lines, isCut } = outlineJson(args, limits);
  const [first = '', ...more] = lines.map(singleLine);
  const head = `  It calls ${singleLine(tool)} with`;
  const shown =
    more.length === 0
      ? [`${head} ${first}`]
      : [`${head}:`, ...[first, ...more].map((line) => `    ${line}`)];
  return { lines: shown, isCut: isCut || isPartial === true };
}

/** All of it. */
export function wholeCall({ tool, preview, arguments: args, isPartial }: Approval): string {
  const text = JSON.stringify(args, null, 2) ?? 'null';
  const stored = isPartial ? '\nWhat is stored: tutti call workflow.read_artifact id=ID' : '';
  const does = preview === undefined ? '' : `\nWhat that does:\n${preview.trimEnd()}`;
  return `${singleLine(tool ?? '')} is called with:\n${text}${stored}${does}`;
}

/** A code that is printed only with the complete call. */
export function seenCode({ approvalId, arguments: args, preview }: Approval): string {
  return digestJson([approvalId, args, preview ?? null]).slice(-codeChars);
}

/** What a run waits for, with the command that gives it. */
export function describeWaits({ runId, waitingFor, status }: RunView): string {
  if (status === 'paused') {
    return `The run is paused. Go on:\n  tutti runs resume ${runId}`;
  }
  return waitingFor
    .map((wait) => `${describeWait(wait)}\n${answersOf(runId, wait).join('\n')}`)
    .join('\n');
}

export function describeWait(wait: Waiting): string {
  switch (wait.kind) {
    case 'approval':
      return [
        approvalText(wait),
        ...showCall(wait).lines,
        `  The question expires at ${localMinute(Date.parse(wait.expiresAt))}`,
      ].join('\n');
    case 'signal':
      return `Step ${quoted(wait.step)} waits for the signal ${quoted(wait.signal)}`;
    case 'resolve':
      return [
        singleLine(wait.message),
        '  Check, then say which; the call is not repeated automatically',
      ].join('\n');
    case 'repair':
      return `Step ${quoted(wait.step)} failed and waits for other arguments: ${singleLine(wait.error.message)}`;
  }
}

function answersOf(runId: string, wait: Waiting): readonly string[] {
  const step = shellWord(singleLine(wait.step));
  switch (wait.kind) {
    case 'approval':
      return [
        ...(showCall(wait).isCut ? [`  tutti runs show ${runId} ${step}   shows all of it`] : []),
        `  tutti runs approve ${runId} ${step}`,
        `  tutti runs deny ${runId} ${step}`,
      ];
    case 'signal':
      return [
        `  tutti runs signal ${runId} ${shellWord(singleLine(wait.signal))} '{"any": "JSON"}'`,
      ];
    case 'resolve':
      return [
        `  tutti runs resolve ${runId} ${step} --happened`,
        `  tutti runs resolve ${runId} ${step} --not-happened`,
      ];
    case 'repair':
      return [
        `  tutti runs repair ${runId} ${step} --args '{"name": "value"}'`,
        `  tutti runs repair ${runId} ${step} --give-up`,
      ];
  }
}

/** Without a question of the plan's own, the step's name says it all. */
function approvalText({ step, message }: Extract<Waiting, { kind: 'approval' }>): string {
  const plain = `Step "${step}" waits for approval`;
  return singleLine(message === plain ? plain : `${plain}: ${message}`);
}

function quoted(name: string): string {
  return `"${singleLine(name)}"`;
}
