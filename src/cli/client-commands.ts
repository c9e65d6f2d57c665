import type { CommandSpec } from './command-table.ts';

/** Commands about the settings of other MCP clients. */
export const clientCommands: readonly CommandSpec[] = [
  {
    name: 'connect',
    operands: '[client]',
    summary: 'add Tutti to the settings of Claude, Cursor, VS Code and other MCP clients',
    options: [
      [
        '--scope <scope>',
        "user: the client's own settings (default); project: its file in this folder",
      ],
      ['--client-roots', 'leave out --root: the folders that are open in the client are used'],
      ['--print', 'show the change and write nothing'],
      ['--yes', 'write without asking'],
    ],
    notes: `Shows the change of the client's settings file, asks, writes it, then starts the entry as the client would.
Clients: claude-desktop, claude-code, cursor, vscode, windsurf, zed, codex, gemini. Without one, lists those on this machine.
The tools may read the current folder, or those named with --root.`,
    examples: [
      'tutti connect',
      'tutti connect claude-desktop',
      'tutti connect cursor --scope project --yes',
      'tutti connect vscode --root ~/shop --print',
    ],
    load: () => import('./commands/connect.ts'),
  },
  {
    name: 'disconnect',
    operands: '[client]',
    summary: "remove Tutti from a client's settings and restore the file",
    options: [
      ['--scope <scope>', 'user or project (default: every file that has the entry)'],
      ['--print', 'show the change and write nothing'],
      ['--yes', 'write without asking'],
    ],
    examples: ['tutti disconnect cursor', 'tutti disconnect claude-code --scope project --yes'],
    load: () => import('./commands/disconnect.ts'),
  },
  {
    name: 'import',
    operands: '[client]',
    summary: 'import the MCP servers of Claude, Cursor, VS Code and other MCP clients',
    options: [
      ['--from <file>', 'read this file instead of the clients’ own'],
      ['--project', 'also import the servers of the project in the current folder'],
      ['--yes', 'write without asking'],
    ],
    notes: `First shows what would be added, what exists already and what cannot be used. Files of other clients are never changed.
Clients: claude-desktop, claude-code, cursor, vscode, windsurf, zed, codex, gemini; without one all of them.
Without a terminal and without --yes nothing is written, and the exit code is 4 when there was something to write.`,
    examples: ['tutti import', 'tutti import cursor --yes', 'tutti import --from ./mcp.json'],
    load: () => import('./commands/import.ts'),
  },
];
