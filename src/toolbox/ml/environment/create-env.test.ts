import { describe, expect, it } from 'vitest';
import type { MlParts } from '../ml-ports.ts';
import { anMlServer } from '../../../../testkit/ml/an-ml-server.ts';

const noAbort = { signal: new AbortController().signal };
const request = { engine: 'python', packages: ['torch'] };

const anyPolicy = {
  network: true,
  indexUrl: 'https://ann:secret@index.example/simple?token=secret',
  sourceBuilds: false,
};

/** A machine with one Python, and what is run on it. */
function aMachine(hasVenv: boolean, packagePolicy?: Partial<MlParts['packagePolicy']>) {
  const started: string[] = [];
  const python = { version: '3.11.2', prefix: '/usr', base_prefix: '/usr', packages: {} };
  const ml = anMlServer({
    runProgram: async ([program = '', ...args]) => {
      started.push([program, ...args.slice(0, 3)].join(' '));
      const probed = { ...python, path: program, has_venv: hasVenv };
      return args.includes('-c')
        ? { exitCode: 0, stdout: JSON.stringify(probed), stderr: '' }
        : { exitCode: 1, stdout: '', stderr: 'ERROR: [Errno 28] No space left on device' };
    },
    packagePolicy: { ...anyPolicy, ...packagePolicy },
  });
  return { ...ml, started, builds: () => started.filter((one) => !one.includes(' -c')) };
}

describe('create_env', () => {
  it('needs no Python for the embedded engine, and changes nothing then', async () => {
    const { call, server } = anMlServer();
    expect(await call('create_env', {})).toMatchObject({ environment: null });
    expect(await server.preview('create_env', {}, noAbort)).toMatchObject({ changesNothing: true });
  });

  it('is an effect for clients', async () => {
    const tools = await anMlServer().server.listTools();
    const { annotations } = tools.find(({ name }) => name === 'create_env') ?? {};
    expect(annotations).toMatchObject({ readOnlyHint: false, openWorldHint: true });
  });

  it('shows what it would install, from where and into which folder, and no password', async () => {
    const { server, home, builds } = aMachine(true);
    const shown = await server.preview('create_env', request, noAbort);
    expect(shown?.text).toContain('installs  torch');
    expect(shown?.text).toContain('https://index.example/simple (over the network; wheels only');
    expect(shown?.text).toContain(home);
    expect(shown?.text).not.toContain('secret');
    expect(shown?.changesNothing).toBeUndefined();
    expect(builds()).toEqual([]);
  });

  it('refuses to build what was not shown', async () => {
    const { server, builds } = aMachine(true);
    const context = (environment: string) => ({
      caller: { id: 'local' },
      progress: () => {},
      meta: { 'tutti/approvedBasis': { environment } },
      ...noAbort,
    });
    for (const approved of ['nothing is installed', '/elsewhere']) {
      const result = await server.callTool('create_env', request, context(approved));
      expect(result).toMatchObject({
        isError: true,
        _meta: { 'tutti/error': { code: 'workspace.changed_on_disk' } },
      });
    }
    expect(builds()).toEqual([]);
  });

  it.each([
    [
      'there is no Python',
      () => anMlServer({ packagePolicy: anyPolicy }),
      /no Python 3 was found.*sudo apt-get install/,
    ],
    [
      'its Python has no venv',
      () => aMachine(false),
      /no venv with pip.*apt-get install -y python3-torch/,
    ],
    [
      'the settings allow no network',
      () => aMachine(true, { network: false }),
      /tools\.training\.network.*tools\.training\.wheel_dir/,
    ],
    [
      'the folder of wheels is not there',
      () => aMachine(true, { wheelDirectory: '/no/such/folder' }),
      /\/no\/such\/folder cannot be read/,
    ],
    ['the disk is full', () => aMachine(true), /the disk is full/],
  ])('says what to do where %s', async (_what, machine, says) => {
    const result = await machine().call('create_env', request);
    expect(result).toMatchObject({ error: { code: 'ml.bad_environment' } });
    expect(JSON.stringify(result)).toMatch(says);
  });
});
