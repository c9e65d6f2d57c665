// Preloaded into the program under test (`node --import`): writes every process start to a file, as one line of JSON.
import childProcess from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const file = process.env.WALL_SPY_FILE;

function note(program, args) {
  if (file) appendFileSync(file, `${JSON.stringify([String(program), ...(args ?? [])])}\n`);
}

const { spawn } = childProcess.ChildProcess.prototype;
childProcess.ChildProcess.prototype.spawn = function spy(options) {
  note(options.file, options.args?.slice(1));
  return spawn.call(this, options);
};
for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
  const original = childProcess[name];
  childProcess[name] = (program, ...rest) => {
    note(program, Array.isArray(rest[0]) ? rest[0] : []);
    return original(program, ...rest);
  };
}
syncBuiltinESMExports();
