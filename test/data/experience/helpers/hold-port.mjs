// hold-port.mjs PORT COMMAND…: runs the command while the port is taken.
import { createServer } from 'node:net';
import { run } from './run.mjs';

const [port, ...command] = process.argv.slice(2);
createServer().listen(Number(port), '127.0.0.1', () => run(command));
