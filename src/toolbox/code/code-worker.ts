/** What a worker thread of the code server runs. */
import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { createCodeServer, type CodeServerOptions } from './code-server.ts';
import { hostServer } from '../worker/worker-host.ts';

enableCompileCache();
if (!parentPort) throw new Error('code-worker runs in a worker thread only');
// `workerData` is what `createThreadedCodeServer` passed: the two files change together.
hostServer(createCodeServer(workerData as CodeServerOptions), parentPort);
