export type { Context7, Context7Text, FindContext7 } from './context7.ts';
export { createDocsServer } from './docs-server.ts';
