import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import {
  applyChange,
  checkEntry,
  listClients,
  planConnect,
  planDisconnect,
} from '../config/index.ts';
import type { ClientConnections, ClientEntry } from '../contract/client-connection/index.ts';
import { ownProgram } from '../kernel/index.ts';
import { loadSettingsHere, surroundingsOf, type SettingsRequest } from './settings.ts';

/** Connects clients to this installation of Tutti, for the roots that are set here. */
export async function openClientConnections(request: SettingsRequest): Promise<ClientConnections> {
  const { values } = await loadSettingsHere(request);
  const around = surroundingsOf(request);
  const place = { home: values.home, around };
  const isHomeChosen = request.flags['home'] !== undefined || around.env['TUTTI_HOME'];
  const entryFor = (roots: readonly string[]): ClientEntry => ({
    command: process.execPath,
    args: [
      fileURLToPath(ownProgram()),
      'mcp',
      ...roots.flatMap((root) => ['--root', root]),
      ...(isHomeChosen ? ['--home', values.home] : []),
    ],
  });
  return {
    list: () => listClients(around),
    planConnect: async (target, useClientRoots) => {
      const roots = useClientRoots ? [] : values.roots;
      const change = await planConnect(target, entryFor(roots), place);
      return { ...change, notes: notesOn(roots, around.homeDirectory) };
    },
    planDisconnect: (target) => planDisconnect(target, place),
    apply: (change) => applyChange(change, place),
    check: (entry) => checkEntry(entry, { cwd: homedir(), env: around.env }),
  };
}

function notesOn(roots: readonly string[], homeDirectory: string): string[] {
  const wide = roots.find((root) => root === homeDirectory || root === '/');
  return wide === undefined
    ? []
    : [
        `The tools will read everything below ${wide}. Name a project instead: start in its folder, or use --root.`,
      ];
}
