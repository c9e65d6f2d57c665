import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session, Turn } from '../../contract/session/index.ts';
import {
  onceFor,
  reportError,
  type FaultPoint,
  type Log,
  type Timers,
} from '../../kernel/index.ts';
import { SessionFileError } from '../errors.ts';

export interface SessionMirrorOptions {
  readonly directory: string;
  /** False: no file is written; those that are there are still removed with their sessions. */
  readonly isOn: boolean;
  readonly log: Log;
  readonly timers: Timers;
  /** Called before and after each change on disk. */
  readonly reach: FaultPoint;
}

/** How old a file may be. */
export const maxDelayMs = 100;

/**
 * Sessions as JSON files, for people and other programs; the store is what counts.
 *
 * 1. Readers of a file see a whole session, also after a crash: it is written elsewhere and renamed. Files
 *    are not synced, which would take longer than all else a turn does: after a loss of power one may be old or
 *    empty until its session is opened.
 *    Turns are added a moment later, several at once: replacing a file makes the file system write out its data, which took a
 *    quarter of a turn's time. What is removed or redacted leaves the file at once.
 * 2. Who writes the file of a session has the lease of that session.
 * 3. A file that cannot be written is logged and fails no caller: the next change writes all of it again.
 */
export class SessionMirror {
  readonly #pending = new Map<string, Session>();
  #isTimed = false;
  readonly #options: SessionMirrorOptions;
  /** Turns never change. */
  readonly #turnOnce = onceFor((turn: Turn) => ({
    text: `    ${indented(turn).replaceAll('\n', '\n    ')}`,
  }));

  constructor(options: SessionMirrorOptions) {
    this.#options = options;
  }

  pathOf(id: string): string {
    return join(this.#options.directory, `${id}.json`);
  }

  /** Brings the file to what the session is; leaves one alone that is so already. */
  async refresh(session: Session): Promise<void> {
    if (this.#options.isOn && this.#compare(session) !== 'same') this.write(session);
  }

  /** Whether there is a file of this id that says something else. */
  async isOther(session: Session): Promise<boolean> {
    return this.#compare(session) === 'other';
  }

  /** Writes it a moment later, with what is added until then. */
  writeSoon(session: Session): void {
    if (!this.#options.isOn) return;
    this.#pending.set(session.id, session);
    if (this.#isTimed) return;
    this.#isTimed = true;
    this.#options.timers.after(maxDelayMs, () => {
      this.#isTimed = false;
      for (const each of this.#pending.values()) this.write(each);
    });
  }

  /** Whether something is still to be written. */
  isPending(id: string): boolean {
    return this.#pending.has(id);
  }

  /** Leaves the file to the next owner of the lease. */
  forget(id: string): void {
    this.#pending.delete(id);
  }

  write(session: Session): void {
    this.#pending.delete(session.id);
    if (!this.#options.isOn) return;
    const path = this.pathOf(session.id);
    try {
      this.#replace(path, this.#temporaryOf(session.id), this.#textOf(session));
    } catch (error) {
      const { message } = reportError(error);
      this.#options.log.warn('failed to write session file', { path, message });
    }
  }

  /** Throws `memory.file_not_removed`. */
  async remove(id: string): Promise<void> {
    this.#pending.delete(id);
    this.#options.reach('session.before-file-remove');
    for (const path of [this.pathOf(id), this.#temporaryOf(id)]) {
      await rm(path, { force: true }).catch((error: unknown) => {
        throw new SessionFileError(path, error);
      });
    }
    this.#options.reach('session.after-file-remove');
  }

  #temporaryOf(id: string): string {
    // With a dot, so that who looks for `*.json` does not find it.
    return join(this.#options.directory, `.${id}.json.tmp`);
  }

  #replace(path: string, temporary: string, text: string): void {
    const { directory, reach } = this.#options;
    // At once: a few calls of the system, which would wait longer for a thread than they take.
    reach('session.before-file');
    try {
      writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
    } catch {
      // There is no folder yet, or a killed process has left the file.
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      rmSync(temporary, { force: true });
      writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
    }
    reach('session.file-written');
    reach('session.before-rename');
    renameSync(temporary, path);
    reach('session.after-rename');
  }

  /** As if all of it were put into JSON at once, for which long conversations would wait at every turn. */
  #textOf({ turns, ...head }: Session): string {
    const texts = turns.map((turn) => this.#turnOnce(turn).text).join(',\n');
    const list = turns.length === 0 ? '[]' : `[\n${texts}\n  ]`;
    return `${indented(head).slice(0, -2)},\n  "turns": ${list}\n}\n`;
  }

  #compare(session: Session): 'none' | 'same' | 'other' {
    const path = this.pathOf(session.id);
    const size = orNothing(() => statSync(path).size);
    if (size === undefined) return 'none';
    const text = this.#textOf(session);
    // The size first: whatever is there, no more is read than a session of ours would have.
    if (size !== Buffer.byteLength(text)) return 'other';
    return orNothing(() => readFileSync(path, 'utf8')) === text ? 'same' : 'other';
  }
}

/** A file that cannot be looked at is as good as none. */
function orNothing<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

const indented = (value: unknown): string => JSON.stringify(value, null, 2);
