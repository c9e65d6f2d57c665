export { createThreadedCodeServer } from './threaded-code-server.ts';
