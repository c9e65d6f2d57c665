import type { OutputPiece } from '../../contract/sandbox/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { systemTimers, type Timers } from '../../kernel/index.ts';
import { OutputCleaner } from './clean-output.ts';

/** Where a progress notification says which stream its text is of, and the how-manieth piece it is. */
export const outputMetaKey = 'tutti/output';

/** Pieces that come so close together go out as one. */
const gatherMs = 50;
const maxMessageLength = 16 * 1024;
const maxMessagesAtOnce = 20;
/** What one call tells live, in characters; the result has the rest. */
const maxLiveLength = 1024 * 1024;
const maxQueued = 1_000;

interface Segment {
  readonly stream: OutputPiece['stream'];
  text: string;
}

/**
 * Tells a program's output as progress of its call while it runs: in the order it came, cleaned, at
 * a bounded rate. The message is the text itself; `_meta` names stream and sequence number.
 */
export class LiveOutput {
  readonly #progress: CallContext['progress'];
  readonly #timers: Timers;
  readonly #cleaners = { stdout: new OutputCleaner(), stderr: new OutputCleaner() };
  readonly #queue: Segment[] = [];
  #cancelTimer: (() => void) | undefined;
  #liveLength = 0;
  #sequence = 0;
  #isCut = false;

  constructor(progress: CallContext['progress'], timers: Timers = systemTimers) {
    this.#progress = progress;
    this.#timers = timers;
  }

  readonly push = ({ stream, bytes }: OutputPiece): void => {
    if (!this.#isCut) this.#add(stream, this.#cleaners[stream].push(bytes));
  };

  /** Tells what is still to be told. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (!this.#isCut) this.#add(stream, this.#cleaners[stream].end());
    }
    this.#cancelTimer?.();
    this.#send(maxQueued);
    if (this.#isCut) this.#tell({ stream: 'stdout', text: '… the rest is in the result …\n' });
  }

  #add(stream: Segment['stream'], text: string): void {
    if (text === '') return;
    const room = maxLiveLength - this.#liveLength;
    const fitting = text.length > room ? text.slice(0, room) : text;
    this.#liveLength += fitting.length;
    const last = this.#queue.at(-1);
    if (last?.stream === stream) last.text += fitting;
    else if (this.#queue.length < maxQueued) this.#queue.push({ stream, text: fitting });
    else this.#isCut = true;
    if (fitting.length < text.length) this.#isCut = true;
    this.#cancelTimer ??= this.#timers.after(gatherMs, this.#onTime);
  }

  readonly #onTime = (): void => {
    this.#cancelTimer = undefined;
    this.#send(maxMessagesAtOnce);
    if (this.#queue.length > 0) this.#cancelTimer = this.#timers.after(gatherMs, this.#onTime);
  };

  #send(maxMessages: number): void {
    for (let count = 0; count < maxMessages; count += 1) {
      const [first] = this.#queue;
      if (!first) return;
      const end = cutBefore(first.text, maxMessageLength);
      this.#tell({ stream: first.stream, text: first.text.slice(0, end) });
      if (end === first.text.length) this.#queue.shift();
      else first.text = first.text.slice(end);
    }
  }

  #tell({ stream, text }: Segment): void {
    const sequence = this.#sequence;
    this.#sequence += 1;
    this.#progress({
      progress: this.#sequence,
      message: text,
      _meta: { [outputMetaKey]: { stream, sequence } },
    });
  }
}

/** Where to cut a text of at most `length` without parting the two halves of a character. */
export function cutBefore(text: string, length: number): number {
  if (text.length <= length) return text.length;
  const last = text.charCodeAt(length - 1);
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
}
