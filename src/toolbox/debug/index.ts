export { createDebugServer } from './debug-server.ts';
