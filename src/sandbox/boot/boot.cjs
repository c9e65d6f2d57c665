// Waits inside a Node that is up, then runs the program in it as `node MAIN ARGS` would: what `-e` adds
// to the global object and to `process` is taken away first, and no frame of this is below the program's.
// Its output stream is made while there is nothing to do, which halves the time to the first output.
{
  const fs = require('node:fs');
  const path = require('node:path');
  const Module = require('node:module');
  const take = (size) => {
    const bytes = Buffer.allocUnsafe(size);
    for (let at = 0; at < size;) {
      const count = fs.readSync(0, bytes, at, Math.min(size - at, 1048576), null);
      if (count === 0) process.reallyExit(125);
      at += count;
    }
    return bytes;
  };
  void process.stdout;
  fs.writeSync(1, 'tutti-ready\n');
  const job = JSON.parse(take(Number.parseInt(take(8).toString('latin1'), 16)).toString());
  for (const [name, size, mode] of job.files) {
    const folder = path.dirname(name);
    if (folder !== '.') fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(name, take(size), { mode });
  }
  Object.assign(process.env, job.env);
  const main = path.resolve(job.main);
  process.argv = [process.execPath, main, ...job.args];
  process.execArgv.length = 0;
  delete process._eval;
  for (const name of ['module', 'exports', 'require', '__filename', '__dirname'])
    delete globalThis[name];
  for (const name of Module.builtinModules) {
    const property = Object.getOwnPropertyDescriptor(globalThis, name);
    if (property?.get && name !== 'crypto' && name !== 'process') delete globalThis[name];
  }
  process.nextTick(Module.runMain, main);
}
