import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  hostSurroundings,
  type Surroundings,
} from '../../../src/sandbox/toolchains/surroundings.ts';

/** A machine of our own making: programs are shell scripts that answer as the real ones do. */
export class WrittenTree {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'machine-')));
  readonly home = join(this.root, 'home/ann');

  constructor() {
    mkdirSync(this.home, { recursive: true });
    // Temporary folders are made for their owner alone.
    chmodSync(this.root, 0o755);
  }

  /** Writes a program that prints `answer` whatever it is asked. */
  program(path: string, answer: string): string {
    return this.script(path, `cat <<'END'\n${answer}\nEND\n`);
  }

  script(path: string, body: string): string {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, `#!/bin/sh\n${body}`, { mode: 0o755 });
    return full;
  }

  file(path: string, text: string): string {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  }

  /** A Python as its answer to our question tells; `prefix` is where it is installed. */
  python(prefix: string, answer: { version: string; missing?: string[]; base?: string }): string {
    const full = join(this.root, prefix);
    const minor = answer.version.split('.').slice(0, 2).join('.');
    const told = { prefix: full, base: full, missing: [], ...answer };
    this.program(join(prefix, `bin/python${minor}`), JSON.stringify(told));
    this.file(join(prefix, `lib/python${minor}/os.py`), '');
    return this.program(join(prefix, 'bin/python3'), JSON.stringify(told));
  }

  surroundings(changes: Partial<Surroundings> = {}): Surroundings {
    return hostSurroundings({
      platform: 'linux',
      home: this.home,
      searchPath: [],
      env: {},
      systemRoot: this.root,
      runsAsOther: false,
      canRelocate: true,
      node: join(this.root, 'no/node'),
      ...changes,
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
