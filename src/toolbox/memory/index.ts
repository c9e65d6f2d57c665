export { createMemoryServer } from './memory-server.ts';
