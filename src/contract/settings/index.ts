export { holdsReference, mcpServerSettings, type McpServerEntry } from './mcp-server-settings.ts';
export type { Sealed } from './sealed.ts';
export type { SettingRow } from './setting-row.ts';
export { settingsSchema } from './settings-schema.ts';
export { parseSize } from './size.ts';
export { aboutOf, type SettingTraits } from './traits.ts';
