export { createGeneration } from './create-generation.ts';
