import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { aFolder, runTutti, serveTutti } from './support/run-tutti.ts';

/** A key that no setting holds: it is told by its shape, or by what stands around it. */
const key = (at: number): string => `q7Zt2LmX9vBn4KpR8sWd3FgH6jYc1T${at}uE`;

/** What each server prints before it dies. */
const said: Readonly<Record<string, (key: string) => string>> = {
  shape: (secret) => `Incorrect API key provided: sk-proj-${secret}`,
  variable: (secret) => `refused with ACME_API_KEY=${secret}`,
  json: (secret) => JSON.stringify({ config: { apiKey: secret, retries: 3 } }),
  object: (secret) => `{ apiKey: '${secret}', retries: 3 }`,
  bearer: (secret) => `401 for Authorization: Bearer ${secret}`,
  header: (secret) => `401 for x-api-key: ${secret}`,
  query: (secret) => `GET https://api.example/v1?api_key=${secret}&page=2`,
  address: (secret) => `cannot reach postgres://ada:${secret}@db.example/x`,
  option: (secret) => `cannot parse --api-key ${secret} --port 1`,
  sentence: (secret) => `invalid token "${secret}"`,
};

it('shows the key of a server that dies with it on no page', { timeout: 120_000 }, async () => {
  const cwd = aFolder();
  const names = Object.keys(said);
  const texts = names.map((name, at) => `Error: ${said[name]?.(key(at)) ?? ''}`);
  const env = { XDG_CONFIG_HOME: join(cwd, 'config') };
  mkdirSync(join(env.XDG_CONFIG_HOME, 'tutti'), { recursive: true });
  const mcpServers = Object.fromEntries(
    texts.map((text, at) => {
      // What a server was given is hidden by its value: here it makes the key up itself.
      const [start, end] = [key(at).slice(0, 9), key(at).slice(9)];
      const made = JSON.stringify(text).replace(key(at), `${start}" + "${end}`);
      const args = ['-e', `console.error(${made}); process.exitCode = 1`];
      return [names[at], { command: process.execPath, args, retryAttempts: 0 }];
    }),
  );
  writeFileSync(join(env.XDG_CONFIG_HOME, 'tutti', 'config.yaml'), JSON.stringify({ mcpServers }));
  const options = { cwd, env };
  const tutti = async (...argv: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await runTutti(argv, options);
    return stdout + stderr;
  };
  const { url, headers } = await serveTutti(options);
  const shown: Record<string, string> = {
    call: await tutti('call', 'shape.any'),
    status: await tutti('call', 'admin.get_server_status', '--json'),
    servers: await tutti('servers'),
    'servers --json': await tutti('servers', '--json'),
    logs: await tutti('logs', '-n', '1000'),
    'logs --json': await tutti('logs', '-n', '1000', '--json'),
    trace: await tutti('trace', 'last'),
    'trace --json': await tutti('trace', 'last', '--json'),
    why: await tutti('why'),
    doctor: await tutti('doctor', '--json'),
    ready: await get(`${url}/ready`, {}),
    'ready with the token': await get(`${url}/ready`, headers),
    metrics: await get(`${url}/metrics`, headers),
  };
  for (const name of ['shape', 'object', 'query'])
    shown[`servers logs ${name}`] = await tutti('servers', 'logs', name);
  const leaks = Object.entries(shown).flatMap(([page, text]) =>
    names.filter((_name, at) => text.includes(key(at))).map((name) => `${page}: ${name}`),
  );
  expect(leaks).toEqual([]);
  expect(shown['servers']).toContain('Error: Incorrect API key');
  expect(shown['ready with the token']).toContain('Error: Incorrect API key');
  expect(shown['ready']).not.toContain('shape');
});

function get(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });
}
