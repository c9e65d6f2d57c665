import type { Toolchain } from '../driver.ts';

/** Where the program and its files are, inside. */
export const workFolder = '/work';

const systemSearchPath = ['/usr/local/bin', '/usr/bin', '/bin'];

/** The environment that every program of a toolchain has; nothing of ours is in it. */
export function minimalEnv(toolchain: Toolchain): Record<string, string> {
  const searchPath = new Set([...toolchain.searchPath, ...systemSearchPath]);
  return {
    PATH: [...searchPath].join(':'),
    HOME: workFolder,
    LANG: 'C.UTF-8',
    ...toolchain.env,
  };
}

/**
 * Whether a program reads this variable only when it starts, so that an interpreter that waits would
 * ignore it: a run that sets one is started anew, as a command.
 */
export function isReadAtStart(variable: string): boolean {
  return /^(?:PYTHON|NODE_|LC_|LD_|MALLOC_|GLIBC_|UV_|OPENSSL_|SSL_)|^(?:LANG|LANGUAGE)$/.test(
    variable,
  );
}
