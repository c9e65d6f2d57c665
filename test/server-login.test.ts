import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Browser } from '../testkit/fleet/login/a-browser.ts';
import { aPlaceWithLogin, everythingBelow, logInByTerminal } from './support/login-place.ts';
import { program, runTutti, serveTutti } from './support/run-tutti.ts';

type Place = Awaited<ReturnType<typeof aPlaceWithLogin>>;

/** Nothing that the authority issued is in what was printed, logged, traced or stored. */
function expectNoSecrets({ authority, cwd }: Place, ...shown: readonly string[]): void {
  expect(authority.issued.size).toBeGreaterThan(1);
  const all = [everythingBelow(join(cwd, 'data')), ...shown].join('\n');
  for (const secret of authority.issued) expect(all).not.toContain(secret);
}

describe('a login by the terminal', () => {
  it('lets calls through until the logout, and shows its state', async () => {
    const place = await aPlaceWithLogin();
    const options = { cwd: place.cwd, env: place.env };
    const before = await runTutti(['call', 'notes.whoami'], options);
    expect(before.stderr).toContain('tutti servers login notes');
    const needed = await runTutti(['servers'], options);
    expect(needed.stdout).toMatch(/notes +failed .*login needed: "tutti servers login notes"/);

    const login = await logInByTerminal(place, 'ann');
    expect(login.stdout).toContain('Logged in to "notes"');
    expect(login.page).toContain('You are logged in');
    const call = await runTutti(['call', 'notes.whoami'], options);
    expect(call.stdout).toContain('You are ann');
    const state = await runTutti(['servers'], options);
    expect(state.stdout).toMatch(/notes +ready .*logged in at 127.0.0.1:\d+, scopes read/);
    const json = await runTutti(['servers', '--json'], options);
    expect(json.stdout).toContain('"state":"active"');

    // The token is for this url: elsewhere the entry has no login.
    place.writeEntry({ url: `${place.server.url}?other` });
    const elsewhere = await runTutti(['call', 'notes.whoami'], options);
    expect(elsewhere.stderr).toContain('needs a login');
    place.writeEntry({});

    const logout = await runTutti(['servers', 'logout', 'notes'], options);
    expect([logout.stdout, logout.stderr]).toEqual(['Logged out of "notes".\n', '']);
    const after = await runTutti(['call', 'notes.whoami'], options);
    expect([after.exitCode, after.stderr]).toEqual([4, expect.stringContaining('login_required')]);
    const shown = [before, login, call, state, json, logout].flatMap((it) => [
      it.stdout,
      it.stderr,
    ]);
    expectNoSecrets(place, ...shown);
  }, 120_000);

  it('survives expiry in a run without a lost step', async () => {
    const place = await aPlaceWithLogin({ tokenSeconds: 2 }, { trustAnnotations: true });
    const options = { cwd: place.cwd, env: place.env };
    await logInByTerminal(place, 'ann');
    const steps = Array.from({ length: 6 }, (_, index) => [
      { id: `nap${index}`, sleep: `${index + 1}s` },
      { id: `call${index}`, tool: 'notes.whoami', when: `exists(\${nap${index}})` },
    ]).flat();
    const plan = JSON.stringify({ version: 1, steps });
    const run = await runTutti(['run', '-'], { ...options, stdin: plan });
    expect(`${run.stdout}${run.stderr}`).not.toContain('failed');
    expect(run.exitCode).toBe(0);
    expect(place.server.calls).toEqual(Array.from({ length: 6 }, () => 'ann whoami'));
    const refreshes = place.authority.requests.filter((it) => it === 'POST /token').length - 1;
    expect(refreshes).toBeGreaterThanOrEqual(2);
    expectNoSecrets(place, run.stdout, run.stderr);

    // Without a login the step fails with the code that says so.
    await runTutti(['servers', 'logout', 'notes'], options);
    const step = { id: 'a', tool: 'notes.whoami' };
    const short = JSON.stringify({ version: 1, steps: [step] });
    const refused = await runTutti(['run', '-'], { ...options, stdin: short });
    expect(`${refused.stdout}${refused.stderr}`).toContain('fleet.login_required');
  }, 120_000);
});

describe.each(['legacy', 'auto'] as const)('a call without a login, client in mode %s', (mode) => {
  const aClient = (capabilities: object): Client => {
    const options = { versionNegotiation: { mode }, capabilities };
    return new Client({ name: 'test', version: '1' }, options);
  };

  /** Opens the page in a browser as `account`, and accepts at once. */
  function answerWithBrowser(client: Client, account: string): string[] {
    const urls: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      const { url } = params as unknown as { url: string };
      urls.push(url);
      void new Browser(account).visit(url);
      return { action: 'accept' as const };
    });
    return urls;
  }

  const stdio = ({ cwd, env }: Place) =>
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', '--all'],
      cwd,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: cwd,
        TUTTI_HOME: join(cwd, 'data'),
        TUTTI_MODELS_AUTODETECT: 'false',
        ...env,
      },
      stderr: 'ignore',
    });

  it.each(['stdio', 'HTTP'])(
    'asks the client over %s to open a page, and goes on',
    async (way) => {
      const place = await aPlaceWithLogin();
      const client = aClient({ elicitation: { form: {}, url: {} } });
      const urls = answerWithBrowser(client, 'ann');
      let base = '';
      if (way === 'stdio') await client.connect(stdio(place));
      else {
        const { url, headers } = await serveTutti(place);
        base = url;
        const requestInit = { headers };
        await client.connect(
          new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }),
        );
      }
      onTestFinished(() => client.close());
      const call = await client.callTool({ name: 'notes__whoami', arguments: {} });
      expect(call.content).toMatchObject([{ text: 'You are ann' }]);
      expect(urls).toHaveLength(1);
      if (way === 'HTTP') expect(urls[0]).toContain(`${new URL(base).origin}/oauth/start?state=`);

      // More consent, for the same call.
      const write = await client.callTool({ name: 'notes__write', arguments: {} });
      expect(write.content).toMatchObject([{ text: 'You are ann' }]);
      expect(urls).toHaveLength(2);
      await client.callTool({ name: 'notes__whoami', arguments: {} });
      expect(urls).toHaveLength(2);
      expect(place.server.calls).toEqual(['ann whoami', 'ann write', 'ann whoami']);
      expectNoSecrets(place, JSON.stringify([call, write]), urls.join('\n'));
    },
    60_000,
  );

  it('fails with the command to run where the client cannot open pages', async () => {
    const place = await aPlaceWithLogin();
    const client = aClient({ elicitation: { form: {} } });
    await client.connect(stdio(place));
    onTestFinished(() => client.close());
    const failure = await client
      .callTool({ name: 'notes__whoami', arguments: {} })
      .catch((error: unknown) => ({ content: String(error) }));
    expect(JSON.stringify(failure)).toContain('tutti servers login notes');
  }, 60_000);

  it('fails where the user declines, and no token is stored', async () => {
    const place = await aPlaceWithLogin();
    const client = aClient({ elicitation: { url: {} } });
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' as const }));
    await client.connect(stdio(place));
    onTestFinished(() => client.close());
    const failure = await client
      .callTool({ name: 'notes__whoami', arguments: {} })
      .catch((error: unknown) => ({ content: String(error) }));
    expect(JSON.stringify(failure)).toContain('the user declined');
    expect(place.server.calls).toEqual([]);
  }, 60_000);
});
