import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bootCommand } from '../boot/boot-command.ts';
import { bootReadyMark } from '../boot/boot-ready-mark.ts';
import { filesOf } from '../boot/encode-job.ts';
import type { SandboxJob, SandboxShape } from '../driver.ts';

/**
 * The boot of a command without `head -c`, which reads further than asked on BSD and would swallow the
 * program's input. `dd` reads byte by byte: slow, but there is little to read when the files are laid
 * out already.
 */
const commandBoot = `printf '${bootReadyMark.replace('\n', '\\n')}'
size=$(dd bs=1 count=8 2>/dev/null) || exit 125
eval "$(dd bs=1 count="$((0x$size))" 2>/dev/null)"`;

export function portableBoot({ boot, toolchain }: SandboxShape): string[] {
  return boot === 'command' ? ['/bin/sh', '-c', commandBoot] : bootCommand(boot, toolchain);
}

/**
 * The job as the boot is to be told it. The files of a command are written into its folder by us, where
 * nothing has run yet that could have put a link into their way.
 */
export async function layOutJob(job: SandboxJob, workFolder: string): Promise<SandboxJob> {
  if (job.program.kind !== 'command') return job;
  for (const { path, bytes, mode } of filesOf(job)) {
    const place = join(workFolder, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, bytes, { flag: 'wx' });
    await chmod(place, mode);
  }
  return { ...job, files: {} };
}
