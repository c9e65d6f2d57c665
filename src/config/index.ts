export { loadSettings } from './load-settings.ts';
export { renderConfigurationDoc } from './render-configuration-doc.ts';
export type { LoadedSettings, Settings } from './settings.ts';
