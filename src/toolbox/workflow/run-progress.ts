import type { RunView } from '../../contract/run/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { isSettled } from './show-run.ts';

const maxNamed = 5;
/** Between two numbers of done steps there is room for as many other messages. */
const messageShare = 1 / 1_000;

/**
 * Tells a client how far a run is: done steps of all, and those that run. Each number is greater than
 * the one before, as MCP asks, also when only the message is new.
 */
export function createRunProgress(progress: CallContext['progress']): (view: RunView) => void {
  let lastNumber = -1;
  let lastMessage = '';
  return (view) => {
    const steps = Object.values(view.steps);
    const done = steps.filter(({ status }) => isSettled(status)).length;
    const message = describeRun(view);
    if (done <= lastNumber && message === lastMessage) return;
    const number = done > lastNumber ? done : lastNumber + messageShare;
    lastNumber = number;
    lastMessage = message;
    progress({ progress: number, total: steps.length, message });
  };
}

/** What a run does at the moment, in a line: `running: build, tests[2] 3/10`. */
export function describeRun(view: RunView): string {
  const named = Object.entries(view.steps)
    .filter(([, { status }]) => status === 'running')
    .map(([path, { items, progress }]) => {
      if (items) return `${path} ${items.done}/${items.total}`;
      return progress?.message === undefined ? path : `${path} (${firstLine(progress.message)})`;
    });
  if (named.length === 0) return view.status;
  const more = named.length > maxNamed ? ` and ${named.length - maxNamed} more` : '';
  return `${view.status}: ${named.slice(0, maxNamed).join(', ')}${more}`;
}

const maxMessageChars = 80;

function firstLine(text: string): string {
  const [line = ''] = text.slice(0, 2 * maxMessageChars).split('\n', 1);
  return line.length <= maxMessageChars ? line : `${line.slice(0, maxMessageChars - 1)}…`;
}
