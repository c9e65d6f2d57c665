import { moveStore, type MoveReport } from '../store/index.ts';
import { loadSettingsHere, type SettingsRequest } from './settings.ts';

export async function moveStoreHere(
  request: SettingsRequest,
  to: 'server' | 'file',
): Promise<MoveReport> {
  const { values } = await loadSettingsHere(request);
  return moveStore({ home: values.home, databaseUrl: values.database_url?.reveal(), to });
}
