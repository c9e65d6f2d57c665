export { holdsReference, mcpServerSettings, type McpServerEntry } from './mcp-server-settings.ts';
export { settingsSchema } from './settings-schema.ts';
export { aboutOf, parseSize, type Sealed, type SettingRow, type SettingTraits } from './traits.ts';
