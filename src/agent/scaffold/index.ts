export { createScaffolds } from './create-scaffolds.ts';
