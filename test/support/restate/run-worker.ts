/**
 * A worker of its own process, started by tests in order to be killed: `run-worker.ts OPTIONS`, which are
 * those of the rig and of the worker as JSON. Says where it is once Restate knows it.
 */
import { openRig, type RigOptions } from './open-rig.ts';

// Written by the test that starts it.
const options = JSON.parse(process.argv[2] ?? '{}') as RigOptions & {
  readonly port: number;
  readonly url?: string;
};
const rig = openRig(options);
const worker = await rig.restate.serveWorker({
  host: '127.0.0.1',
  port: options.port,
  url: options.url,
});
process.stdout.write(`${worker.url}\n`);
process.once('SIGTERM', () => {
  void worker.close().then(() => rig.close());
});
