import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiHere } from '../../src/compose/api.ts';
import { openRooms } from '../../src/compose/open-rooms.ts';
import { loadSettingsHere } from '../../src/compose/settings.ts';
import { listenFor, type AnApi } from './an-api.ts';

export type Rooms = Awaited<ReturnType<typeof openRooms>>;

export interface WholeApi extends AnApi {
  readonly home: string;
  readonly rooms: Rooms;
  close(): Promise<void>;
}

/** The API over all rooms, as `tutti serve` has it, with the callers of `an-api.ts`. */
export async function aWholeApi(home = aFolder('home')): Promise<WholeApi> {
  const request = { env: { TUTTI_HOME: home }, cwd: aFolder('project'), flags: {} };
  const settings = await loadSettingsHere(request);
  const rooms = await openRooms(request, settings);
  rooms.fleet.serve();
  rooms.runs.serve();
  const api = await listenFor(apiHere(rooms, settings.values, request));
  return {
    ...api,
    home,
    rooms,
    async close() {
      await api.close();
      await rooms.runs.close();
      await rooms.fleet.catalogue.close();
      const rest = [rooms.sandbox, rooms.memory, rooms.models, rooms.finder, rooms.tracing];
      for (const room of [...rest, rooms.store, rooms.log]) await room.close();
    },
  };
}

function aFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `api-${name}-`));
}
