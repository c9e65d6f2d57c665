import type { AgentEvent } from '../../../../contract/agent/index.ts';
import type { RunView } from '../../../../contract/run/index.ts';
import { systemClock } from '../../../../kernel/index.ts';
import type { Io } from '../../../io.ts';
import { clearLine } from '../../../printable.ts';
import type { Output } from '../../../output.ts';
import { createMarkdownStream, type MarkdownStream, type TextKind } from './markdown-stream.ts';
import { createLiveTree, type LiveTree } from '../../runs/live-tree.ts';

/** Shows a turn while it goes: the answer on stdout as it comes, the steps of the run on stderr. */
interface TurnScreen {
  onEvent(event: AgentEvent): void;
  /** What of the answer was not shown yet, and the end of its last line. */
  showAnswer(answer: string, kind: TextKind): void;
  /** Leaves the screen so that something else can be written below. */
  leave(): void;
}

export function createTurnScreen(io: Io, output: Output): TurnScreen {
  return output.isJson ? silentScreen : new StreamedTurn(io, output);
}

const silentScreen: TurnScreen = { onEvent: () => {}, showAnswer: () => {}, leave: () => {} };

const waitingText = 'thinking…';

class StreamedTurn implements TurnScreen {
  readonly #io: Io;
  readonly #output: Output;
  /** Of the answer since it last began, as it was sent. */
  #streamed = '';
  #isLineOpen = false;
  #isWaitShown = false;
  #tree: LiveTree | undefined;
  readonly #markdown: MarkdownStream;

  constructor(io: Io, output: Output) {
    this.#io = io;
    this.#output = output;
    this.#markdown = createMarkdownStream(output.paint);
    if (io.stderr.isTTY !== true) return;
    this.#isWaitShown = true;
    io.stderr.write(output.paint.dim(waitingText));
  }

  onEvent(event: AgentEvent): void {
    switch (event.kind) {
      case 'text':
        this.#stream(event.text, event.isMarkdown === true ? 'markdown' : 'verbatim');
        return;
      case 'restart':
        this.#restart();
        return;
      case 'run':
        this.#showRun(event.run);
        return;
      case 'notice':
        this.leave();
        this.#output.note(this.#output.paint.dim(event.text));
        return;
      case 'session':
      case 'intent':
      case 'plan':
        return;
    }
  }

  showAnswer(answer: string, kind: TextKind): void {
    const isBegun = answer.startsWith(this.#streamed);
    if (!isBegun) this.leave();
    this.#stream(isBegun ? answer.slice(this.#streamed.length) : answer, kind);
    this.leave();
    this.#streamed = '';
  }

  leave(): void {
    this.#endWait();
    this.#tree?.finish();
    this.#tree = undefined;
    this.#write(this.#markdown.end());
    if (this.#isLineOpen) this.#io.stdout.write('\n');
    this.#isLineOpen = false;
  }

  #stream(text: string, kind: TextKind): void {
    if (text === '') return;
    this.#endWait();
    this.#tree?.finish();
    this.#tree = undefined;
    this.#streamed += text;
    this.#write(this.#markdown.push(text, kind));
  }

  #write(shown: string): void {
    if (shown === '') return;
    this.#io.stdout.write(shown);
    this.#isLineOpen = !shown.endsWith('\n');
  }

  #restart(): void {
    if (this.#streamed === '') return;
    this.leave();
    this.#streamed = '';
    this.#output.note(this.#output.paint.dim('The answer broke off and starts anew:'));
  }

  #showRun(view: RunView): void {
    if (!this.#tree) {
      this.leave();
      this.#tree = createLiveTree({
        stream: this.#io.stderr,
        isKnown: false,
        paint: this.#output.paint,
        clock: systemClock,
      });
    }
    this.#tree.update(withErrorCodes(view));
  }

  #endWait(): void {
    if (this.#isWaitShown) this.#io.stderr.write(clearLine);
    this.#isWaitShown = false;
  }
}

/** The answer has the message of an error; the progress of the steps names its code. */
function withErrorCodes(view: RunView): RunView {
  const steps = Object.entries(view.steps).map(([path, { error, ...step }]) => [
    path,
    error ? { ...step, error: { ...error, message: error.code } } : step,
  ]);
  return { ...view, steps: Object.fromEntries(steps) };
}
