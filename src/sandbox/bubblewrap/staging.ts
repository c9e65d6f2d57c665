import type { OwnedProcess, ProcessOwner } from '../../kernel/index.ts';
import { SandboxNotStartedError } from '../errors.ts';
import { driverName } from './host-facts.ts';

/** Any folder that is there on every Linux and that nothing needed lies in. */
const stage = '/mnt';

/** What the stage holds: names of places, no files. */
const stageOptions = 'mode=0755,size=1m';

/**
 * Takes a place's number and a path per pair of lines, shows the path there, says whether it could.
 * Lives in a mount namespace of its own, so no other process sees the mounts, and they end with it.
 */
const stageScript = `mount -t tmpfs -o ${stageOptions} none ${stage} || exit 1
echo 'yes'
while IFS= read -r place && IFS= read -r source; do
  if [ -d "$source" ]; then mkdir "${stage}/$place"; else : >"${stage}/$place"; fi
  if mount --bind "$source" "${stage}/$place"; then echo yes; else echo no; fi
done`;

/**
 * Shows folders of root to the sandbox's user, who has no right to go where they are: it sees the bare
 * folder in another place, in a mount namespace that sandboxes are started from.
 */
export class Staging {
  readonly #owner: ProcessOwner;
  readonly #unshare: string;
  readonly #places = new Map<string, Promise<string>>();
  #holder: Promise<Holder> | undefined;

  constructor(owner: ProcessOwner, unshare: string) {
    this.#owner = owner;
    this.#unshare = unshare;
  }

  /** The mount namespace in which the places are seen. */
  async namespace(): Promise<string> {
    const { pid } = (await this.#held()).process;
    return `/proc/${pid}/ns/mnt`;
  }

  /** Where a folder or file is seen there. */
  place(source: string): Promise<string> {
    const known = this.#places.get(source) ?? this.#show(source, this.#places.size);
    this.#places.set(source, known);
    known.catch(() => this.#places.delete(source));
    return known;
  }

  async close(): Promise<void> {
    const holder = await this.#holder?.catch(() => undefined);
    await holder?.process.stop(0);
  }

  async #show(source: string, place: number): Promise<string> {
    const isPlaceable = !source.includes('\n') && !`${source}/`.startsWith(`${stage}/`);
    if (isPlaceable && (await (await this.#held()).ask(`${place}\n${source}\n`))) {
      return `${stage}/${place}`;
    }
    throw new SandboxNotStartedError(
      driverName,
      `"${source}" can only be reached by root and could not be shown to the sandbox; move it, or open the folders above it (chmod o+x)`,
    );
  }

  #held(): Promise<Holder> {
    this.#holder ??= this.#start();
    return this.#holder;
  }

  /** Its places went with it; the next question starts another. */
  #forget(): void {
    this.#holder = undefined;
    this.#places.clear();
  }

  async #start(): Promise<Holder> {
    const process_ = await this.#owner.start({
      command: this.#unshare,
      args: ['--mount', '--propagation', 'private', '/bin/sh', '-c', stageScript],
      cwd: '/',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    });
    const holder = new Holder(process_);
    void process_.exited.then(() => this.#forget());
    if (await holder.answer()) return holder;
    throw new SandboxNotStartedError(driverName, 'folders of root could not be shown to it');
  }
}

/** One question at a time gets one line as its answer. */
class Holder {
  readonly process: OwnedProcess;
  readonly #waiting: ((isYes: boolean) => void)[] = [];
  #text = '';
  #hasEnded = false;

  constructor(process_: OwnedProcess) {
    this.process = process_;
    process_.stderr.resume();
    process_.stdout.on('data', (bytes: Buffer) => this.#take(bytes.toString('latin1')));
    process_.stdout.on('close', () => {
      this.#hasEnded = true;
      for (const settle of this.#waiting.splice(0)) settle(false);
    });
  }

  ask(question: string): Promise<boolean> {
    this.process.stdin.write(question);
    return this.answer();
  }

  answer(): Promise<boolean> {
    if (this.#hasEnded) return Promise.resolve(false);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #take(text: string): void {
    const lines = (this.#text + text).split('\n');
    this.#text = lines.pop() ?? '';
    for (const line of lines) this.#waiting.shift()?.(line === 'yes');
  }
}
