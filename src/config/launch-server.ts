import type { ServerLaunch } from '../contract/fleet/index.ts';
import type { McpServerEntry } from '../contract/settings/index.ts';
import type { Secret } from '../kernel/index.ts';
import { UnresolvedReferenceError } from './errors.ts';
import { fillReferences, referencesIn } from './fill-references.ts';
import { resolvePath, type Surroundings } from './locate.ts';

/** Variables a program gets from us without being named: what it needs to run, and no secrets. */
const inheritedVariables = {
  posix: [
    'HOME',
    'LANG',
    'LC_ALL',
    'LC_CTYPE',
    'LOGNAME',
    'NODE_EXTRA_CA_CERTS',
    'PATH',
    'SHELL',
    'SSL_CERT_DIR',
    'SSL_CERT_FILE',
    'TERM',
    'TMPDIR',
    'TZ',
    'USER',
    'XDG_CACHE_HOME',
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
    'XDG_RUNTIME_DIR',
  ],
  windows: [
    'APPDATA',
    'COMSPEC',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'NODE_EXTRA_CA_CERTS',
    'PATH',
    'PATHEXT',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMDATA',
    'PROGRAMFILES',
    'SSL_CERT_DIR',
    'SSL_CERT_FILE',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'TMP',
    'USERNAME',
    'USERPROFILE',
    'WINDIR',
  ],
};

/**
 * What it takes to start or reach a server, with variables and files filled in as they are now.
 * Throws `UnresolvedReferenceError`, which names the entry and the key and shows no value.
 */
export async function launchServer(
  name: string,
  settings: McpServerEntry,
  around: Surroundings,
): Promise<ServerLaunch> {
  const fill = async (key: string, text: string): Promise<string> => {
    const filled = await fillReferences(text, {
      env: around.env,
      resolvePath: (path) => resolvePath(around, around.cwd, path),
    });
    if (filled.kind === 'unfilled') throw new UnresolvedReferenceError({ name, key, ...filled });
    // Refused here, because the system would refuse it with the value in its message.
    if (filled.text.includes('\0')) {
      const reason = 'what it stands for holds a NUL character';
      throw new UnresolvedReferenceError({ name, key, reference: referencesText(text), reason });
    }
    return filled.text;
  };
  const fillMap = async (
    key: string,
    map: Readonly<Record<string, Secret>>,
  ): Promise<Record<string, string>> => {
    const entries: [string, string][] = [];
    for (const [inner, value] of Object.entries(map)) {
      entries.push([inner, await fill(`${key}.${inner}`, value.reveal())]);
    }
    return Object.fromEntries(entries);
  };

  if (settings.command !== undefined) {
    const args: string[] = [];
    for (const [index, arg] of settings.args.entries()) args.push(await fill(`args.${index}`, arg));
    return {
      transport: 'stdio',
      command: await fill('command', settings.command),
      args,
      // Not the current folder: package runners and interpreters take code from where they start, and
      // that may be a project nobody trusts.
      cwd: resolvePath(around, around.cwd, await fill('cwd', settings.cwd ?? '~')),
      env: { ...inheritedEnvironment(around), ...(await fillMap('env', settings.env)) },
    };
  }
  const url = await fill('url', settings.url ?? '');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    const reason = 'what it stands for is no http or https address';
    const reference = referencesText(settings.url ?? '');
    throw new UnresolvedReferenceError({ name, key: 'url', reference, reason });
  }
  const transport = settings.type === 'sse' ? 'sse' : 'http';
  return { transport, url, headers: await fillMap('headers', settings.headers) };
}

/** The references in a text, without what stands around them, which may be secret. */
function referencesText(text: string): string {
  return referencesIn(text)
    .map((reference) => `\${${reference}}`)
    .join('');
}

function inheritedEnvironment({ env, platform }: Surroundings): Record<string, string> {
  const isWindows = platform === 'win32';
  const allowed = new Set(isWindows ? inheritedVariables.windows : inheritedVariables.posix);
  const inherited: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    // Windows knows `Path` and `PATH` as one.
    const isAllowed = allowed.has(isWindows ? name.toUpperCase() : name);
    if (isAllowed && value !== undefined) inherited[name] = value;
  }
  return inherited;
}
