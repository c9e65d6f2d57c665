export { createStandardLimitsReader } from './read-standard-limits.ts';
export { createStandardsServer } from './standards-server.ts';
