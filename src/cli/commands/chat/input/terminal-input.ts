import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { readChoice, readShortReply } from '../../../../kernel/index.ts';
import type { Io, TextStream } from '../../../io.ts';
import { ownEscape, printable, toTerminal } from '../../../printable.ts';
import { type ChatInput, MessageLines, TurnCancelled } from './chat-input.ts';
import { fromHistoryLine, type LineHistory } from './line-history.ts';

export type Completion = [candidates: string[], end: string];
type Completed = (error: null, result: Completion) => void;

export interface TerminalParts {
  readonly io: Io;
  readonly history: LineHistory;
  /** What the end of a line may become, and that end. */
  readonly complete: (line: string) => Promise<Completion>;
  readonly prompt: string;
  /** In front of the second and further lines of a message. */
  readonly furtherPrompt: string;
}

/** Terminals that know it send pasted text between two marks. */
const bracketedPaste = { on: `${ownEscape}[?2004h`, off: `${ownEscape}[?2004l` };
/** Lines typed ahead while something runs. */
const maxTypedAhead = 100;

/**
 * Messages typed at a terminal.
 *
 * 1. The line editor reads all the time, so that Ctrl-C is seen while something runs; what it draws is seen only
 *    while a line is asked for.
 * 2. Whole lines typed ahead are the next messages, after the questions that come up meanwhile. No question is ever
 *    answered by what was typed before it was asked.
 * 3. The history holds messages: neither answers to questions nor the lines a message is made of.
 */
export class TerminalInput implements ChatInput {
  readonly #parts: TerminalParts;
  readonly #screen: MutedStream;
  readonly #editor: Interface;
  readonly #joined = new MessageLines();
  #typedAhead: string[] = [];
  #pasted: string[] = [];
  #isPasting = false;
  #isEnded = false;
  #isWarned = false;
  #isInterrupted = false;
  #running: AbortController | undefined;
  /** Ends the waiting for what was cancelled and does not end. */
  #leave: ((reason: unknown) => void) | undefined;
  #waiting: ((line: string | undefined) => void) | undefined;
  /** Aside of the messages: a question is answered. */
  #isAsking = false;
  /** The editor's own list, which is made ours each time it changes it. */
  #editorHistory: string[] | undefined;

  constructor(parts: TerminalParts) {
    this.#parts = parts;
    const { io, history } = parts;
    this.#screen = new MutedStream(io.rawStdout);
    this.#screen.isMuted = true;
    this.#editor = createInterface({
      input: io.stdin,
      output: this.#screen,
      terminal: true,
      history: [...history.lines],
      historySize: history.maxLines,
      completer: (line: string, done: Completed) => void this.#complete(line, done),
    });
    this.#editor.on('line', (line) => this.#onLine(line));
    this.#editor.on('SIGINT', () => this.#onInterrupt());
    this.#editor.on('close', () => this.#onEnd());
    this.#editor.on('history', (lines) => {
      this.#editorHistory = lines;
      this.#showHistory();
    });
    io.stdin.on('keypress', this.#onKey);
    io.rawStdout.on('resize', this.#onResize);
    io.signal.addEventListener('abort', () => this.#editor.close(), { once: true });
    io.stdout.write(bracketedPaste.on);
  }

  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  async next(): Promise<string | undefined> {
    for (;;) {
      const line = await this.#line(
        this.#joined.isOpen ? this.#parts.furtherPrompt : this.#parts.prompt,
      );
      if (line === undefined) return undefined;
      const message = this.#joined.push(fromHistoryLine(line));
      if (message === undefined || message.trim() === '') continue;
      await this.#parts.history.add(message);
      this.#showHistory();
      return message;
    }
  }

  readonly ask = async (question: string): Promise<string | undefined> => {
    // "y" was typed for another question, or for none.
    const later = this.#typedAhead.filter(
      (line) => readShortReply(line) === undefined && readChoice(line) === undefined,
    );
    this.#typedAhead = [];
    this.#clearLine();
    const at = question.lastIndexOf('\n') + 1;
    this.#parts.io.stderr.write(question.slice(0, at));
    this.#isAsking = true;
    try {
      const answer = await this.#line(question.slice(at));
      if (answer !== undefined) this.#typedAhead.unshift(...later);
      return answer;
    } finally {
      this.#isAsking = false;
    }
  };

  async during<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const running = new AbortController();
    const { promise: untilLeft, reject } = Promise.withResolvers<never>();
    this.#running = running;
    this.#leave = reject;
    try {
      const working = work(AbortSignal.any([running.signal, this.#parts.io.signal]));
      return await Promise.race([working, untilLeft]);
    } catch (error) {
      throw running.signal.aborted ? new TurnCancelled('Cancelled', { cause: error }) : error;
    } finally {
      this.#running = undefined;
      this.#leave = undefined;
    }
  }

  async close(): Promise<void> {
    this.#parts.io.stdin.off('keypress', this.#onKey);
    this.#parts.io.rawStdout.off('resize', this.#onResize);
    this.#parts.io.stdout.write(bracketedPaste.off);
    this.#editor.close();
  }

  #line(prompt: string): Promise<string | undefined> {
    const typed = this.#typedAhead.shift();
    if (typed !== undefined) {
      this.#parts.io.stdout.write(`${prompt}${typed}\n`);
      return Promise.resolve(typed);
    }
    if (this.#isEnded) return Promise.resolve(undefined);
    this.#screen.isMuted = false;
    this.#editor.setPrompt(toTerminal(prompt));
    this.#editor.prompt(true);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  #give(line: string | undefined): void {
    this.#screen.isMuted = true;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(line);
  }

  #onLine(line: string): void {
    this.#isWarned = false;
    if (this.#isPasting) {
      this.#pasted.push(line);
      // Below what has been pasted so far, as if it were one text in an editor.
      this.#editor.setPrompt(toTerminal(this.#parts.furtherPrompt));
      if (!this.#screen.isMuted) this.#editor.prompt();
      return;
    }
    const text = [...this.#pasted, line].join('\n');
    this.#pasted = [];
    if (this.#waiting) this.#give(text);
    else if (this.#typedAhead.length < maxTypedAhead) this.#typedAhead.push(text);
  }

  readonly #onKey = (_text: string | undefined, key: { readonly name?: string }): void => {
    if (key.name === 'paste-start') this.#isPasting = true;
    if (key.name === 'paste-end') this.#isPasting = false;
  };

  readonly #onResize = (): void => void this.#screen.emit('resize');

  /** What runs is cancelled; else what was typed is dropped; else it is the wish to leave. */
  #onInterrupt(): void {
    const isIdle = this.#editor.line === '' && !this.#joined.isOpen && this.#pasted.length === 0;
    const isAsking = this.#isAsking && this.#waiting !== undefined;
    if (isAsking || this.#running === undefined || this.#waiting) this.#parts.io.stdout.write('\n');
    this.#clearLine();
    if (isAsking) return this.#give(undefined);
    if (this.#running) {
      this.#typedAhead = [];
      if (this.#running.signal.aborted) this.#leave?.(this.#running.signal.reason);
      return this.#running.abort(new Error('cancelled at the terminal'));
    }
    if (isIdle && this.#isWarned) {
      this.#isInterrupted = true;
      return this.#editor.close();
    }
    this.#isWarned = isIdle;
    this.#joined.clear();
    if (isIdle) this.#parts.io.stderr.write('Press Ctrl-C again, or Ctrl-D, to leave\n');
    this.#editor.setPrompt(toTerminal(this.#parts.prompt));
    if (!this.#screen.isMuted) this.#editor.prompt();
  }

  #onEnd(): void {
    this.#isEnded = true;
    if (!this.#waiting) return;
    if (!this.#isInterrupted) this.#parts.io.stdout.write('\n');
    this.#give(undefined);
  }

  #clearLine(): void {
    this.#pasted = [];
    this.#isPasting = false;
    const isMuted = this.#screen.isMuted;
    this.#screen.isMuted = true;
    if (!this.#isEnded) {
      this.#editor.write(null, { ctrl: true, name: 'e' });
      this.#editor.write(null, { ctrl: true, name: 'u' });
    }
    this.#screen.isMuted = isMuted;
  }

  #showHistory(): void {
    this.#editorHistory?.splice(0, this.#editorHistory.length, ...this.#parts.history.lines);
  }

  async #complete(line: string, done: Completed): Promise<void> {
    if (this.#isAsking || this.#isPasting || this.#screen.isMuted) return done(null, [[], line]);
    // Completion is a help: where it fails there is none.
    done(null, await this.#parts.complete(line).catch((): Completion => [[], line]));
  }
}

/** What the editor itself writes: cursor movements, erasing, the colours of the prompt. */
const editing = /(\u001B\[\d*[A-DGJKm]|\r)/;

/** Pasted text may hold anything, and the editor writes it as it is. */
function drawn(text: string): string {
  const parts = text.split(editing);
  return parts.map((part, index) => (index % 2 === 1 ? part : printable(part))).join('');
}

/** A terminal that shows nothing of what the line editor draws while something else is on the screen. */
export class MutedStream extends Writable {
  isMuted = false;
  readonly isTTY = true;
  readonly #terminal: TextStream;

  constructor(terminal: TextStream) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
  }

  get columns(): number {
    return this.#terminal.columns ?? 0;
  }

  get rows(): number {
    return this.#terminal.rows ?? 0;
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    if (!this.isMuted) this.#terminal.write(drawn(String(chunk)));
    done();
  }
}
