export type { Context7Text, FindContext7 } from './context7.ts';
export { createDocsServer } from './docs-server.ts';
