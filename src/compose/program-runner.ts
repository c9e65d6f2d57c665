import type { ProcessOwner } from '../kernel/index.ts';
import type { MlParts } from '../toolbox/ml/index.ts';
import type { SettingsRequest } from './settings.ts';

const stopGraceMs = 2_000;
const maxOutputChars = 1_000_000;

/** Programs of this machine, with the few variables that they and a package index need; which index, the settings say. */
export function programRunner(
  owner: ProcessOwner,
  environment: SettingsRequest['env'],
): MlParts['runProgram'] {
  const kept = ['PATH', 'HOME', 'LANG', 'HTTPS_PROXY', 'NO_PROXY', 'SSL_CERT_FILE'];
  const usual = Object.fromEntries(
    kept.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
  return async ([command = '', ...args], { timeoutMs: limitMs, signal, env = {}, onOutput }) => {
    signal.throwIfAborted();
    const program = await owner.start({ command, args, env: { ...usual, ...env } });
    program.stdin.end();
    const texts = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      program[stream].setEncoding('utf8').on('data', (text: string) => {
        texts[stream] = (texts[stream] + text).slice(-maxOutputChars);
        onOutput?.(text);
      });
    }
    const ended = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const stop = (): void => void program.stop(stopGraceMs);
    ended.addEventListener('abort', stop, { once: true });
    const { exitCode } = await program.exited.finally(() =>
      ended.removeEventListener('abort', stop),
    );
    signal.throwIfAborted();
    return { exitCode, ...texts };
  };
}
