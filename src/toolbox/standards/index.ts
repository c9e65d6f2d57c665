export { createStandardLimitsReader } from './standards-library.ts';
export { createStandardsServer } from './standards-server.ts';
