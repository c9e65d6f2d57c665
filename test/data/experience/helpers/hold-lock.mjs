// hold-lock.mjs FILE COMMAND…: runs the command while another process has a POSIX lock on the file.
import { spawn } from 'node:child_process';
import { run } from './run.mjs';

const [file, ...command] = process.argv.slice(2);
const holder = spawn(
  'python3',
  [
    '-c',
    'import fcntl, sys, time; f = open(sys.argv[1], "w"); fcntl.lockf(f, fcntl.LOCK_EX); print("held", flush=True); time.sleep(60)',
    file,
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
process.on('exit', () => holder.kill('SIGKILL'));
holder.stdout.once('data', () => run(command));
