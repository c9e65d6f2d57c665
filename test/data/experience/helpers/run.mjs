import { spawn } from 'node:child_process';

/** Runs a command with this process's streams and ends as it does. */
export function run([program, ...args]) {
  const child = spawn(program, args, { stdio: 'inherit' });
  child.on('error', (error) => {
    console.error(error);
    process.exit(127);
  });
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 143)));
}
