import type { RunView, Waiting } from '../../../contract/run/index.ts';
import { singleLine } from '../../printable.ts';
import { showCall } from './shown-call.ts';

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
        `  The question expires at ${wait.expiresAt}`,
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
  const step = shellWord(wait.step);
  switch (wait.kind) {
    case 'approval':
      return [
        ...(showCall(wait).isCut ? [`  tutti runs show ${runId} ${step}   shows all of it`] : []),
        `  tutti runs approve ${runId} ${step}`,
        `  tutti runs deny ${runId} ${step}`,
      ];
    case 'signal':
      return [`  tutti runs signal ${runId} ${shellWord(wait.signal)} '{"any": "JSON"}'`];
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

/** A word as a shell takes it. */
export function shellWord(word: string): string {
  return /^[\w./:-]+$/.test(word)
    ? word
    : `'${singleLine(word).replaceAll("'", String.raw`'\''`)}'`;
}
