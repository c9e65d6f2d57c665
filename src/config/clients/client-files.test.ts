import { expect, it } from 'vitest';
import { listClientFiles } from './client-files.ts';

const files = (platform: NodeJS.Platform, env = {}): Record<string, string[]> => {
  const home = platform === 'win32' ? 'C:\\Users\\ada' : '/home/ada';
  const cwd = platform === 'win32' ? 'C:\\shop' : '/shop';
  const found = listClientFiles({ platform, env, cwd, homeDirectory: home });
  return Object.fromEntries(
    [...Map.groupBy(found, ({ client }) => client)].map(([client, list]) => [
      client,
      list.map(({ path }) => path),
    ]),
  );
};

it('knows where clients keep servers on Linux', () => {
  expect(files('linux')).toEqual({
    'claude-desktop': ['/home/ada/.config/Claude/claude_desktop_config.json'],
    'claude-code': ['/home/ada/.claude.json', '/shop/.mcp.json'],
    cursor: ['/home/ada/.cursor/mcp.json', '/shop/.cursor/mcp.json'],
    vscode: [
      '/home/ada/.config/Code/User/mcp.json',
      '/home/ada/.config/Code/User/settings.json',
      '/home/ada/.config/Code - Insiders/User/mcp.json',
      '/home/ada/.config/Code - Insiders/User/settings.json',
      '/shop/.vscode/mcp.json',
    ],
    windsurf: ['/home/ada/.codeium/windsurf/mcp_config.json'],
    zed: ['/home/ada/.config/zed/settings.json', '/shop/.zed/settings.json'],
    codex: ['/home/ada/.codex/config.toml', '/shop/.codex/config.toml'],
    gemini: ['/home/ada/.gemini/settings.json', '/shop/.gemini/settings.json'],
  });
});

it('knows where they keep them on macOS', () => {
  const { vscode = [], zed = [], ...found } = files('darwin');
  expect(found['claude-desktop']).toEqual([
    '/home/ada/Library/Application Support/Claude/claude_desktop_config.json',
  ]);
  expect(vscode[0]).toBe('/home/ada/Library/Application Support/Code/User/mcp.json');
  expect(zed[0]).toBe('/home/ada/.config/zed/settings.json');
});

it('knows where they keep them on Windows', () => {
  const { vscode = [], zed = [], windsurf, ...found } = files('win32', { APPDATA: 'C:\\Roaming' });
  expect(found['claude-desktop']).toEqual(['C:\\Roaming\\Claude\\claude_desktop_config.json']);
  expect(vscode[0]).toBe('C:\\Roaming\\Code\\User\\mcp.json');
  expect(zed[0]).toBe('C:\\Roaming\\Zed\\settings.json');
  expect(windsurf).toEqual(['C:\\Users\\ada\\.codeium\\windsurf\\mcp_config.json']);
  expect(files('win32')['vscode']?.[0]).toBe(
    'C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json',
  );
});

it('follows the variables that move them', () => {
  const moved = files('linux', {
    XDG_CONFIG_HOME: '/x',
    CLAUDE_CONFIG_DIR: '/c',
    CODEX_HOME: '/d',
  });
  expect(moved['codex']?.[0]).toBe('/d/config.toml');
  expect(moved['zed']?.[0]).toBe('/x/zed/settings.json');
  expect(moved['claude-code']?.[0]).toBe('/c/.claude.json');
});
