export { createAdminServer } from './admin-server.ts';
export { ToolSearch, type Patience } from './search/tool-search.ts';
