export { createAdminServer } from './admin-server.ts';
export { ToolSearch } from './search/tool-search.ts';
