import type { SandboxProgram } from '../../contract/sandbox/index.ts';
import type { Toolchain } from '../driver.ts';
import { nodeBoot } from './boot-node.ts';
import { pythonBoot } from './boot-python.ts';
import { bootReadyMark } from './boot-ready-mark.ts';

/**
 * Waits in a shell, then becomes the program. Its header is a script, which knows all the rest.
 * `head -c` of GNU never reads further than asked.
 */
const commandBoot = `printf '${bootReadyMark.replace('\n', '\\n')}'
size=$(head -c 8) || exit 125
eval "$(head -c "$((0x$size))")"`;

/** What is started inside: it says the ready mark, takes a job of its kind from its input and runs it. */
export function bootCommand(kind: SandboxProgram['kind'], toolchain: Toolchain): string[] {
  switch (kind) {
    case 'python':
      return [toolchain.program, '-c', pythonBoot];
    case 'node':
      return [toolchain.program, '-e', nodeBoot];
    case 'command':
      return ['/bin/sh', '-c', commandBoot];
  }
}
