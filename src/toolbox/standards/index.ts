export type { StandardLimits } from './coding-standards.ts';
export { createStandardLimitsReader, type StandardLimitsReader } from './read-standard-limits.ts';
export { createStandardsServer } from './standards-server.ts';
