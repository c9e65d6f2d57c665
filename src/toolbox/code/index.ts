export { checkTypes } from './generate/check-types.ts';
export { hideSecrets } from './secrets/find-secrets.ts';
export { SyntaxTrees } from './syntax-tree.ts';
export { createThreadedCodeServer, type OpenGeneration } from './threaded-code-server.ts';
