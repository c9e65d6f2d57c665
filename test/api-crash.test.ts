import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { isProof, seededRandom } from '../testkit/sample.ts';
import { aFolder, runTutti, serveTutti } from './support/run-tutti.ts';

const kills = isProof ? 20 : 2;
const clients = 8;
const maxLoadMs = 1_500;
/** Of the runs that were started; each takes milliseconds. */
const maxEndMs = 60_000;

const plan = { name: 'crash', steps: [{ id: 'a', sleep: '20ms' }] };
const waiting = { name: 'waits', steps: [{ id: 'ask', approval: { message: 'Go on?' } }] };

/** What the API answered for with 2xx. */
interface Acknowledged {
  readonly runs: { readonly runId: string; readonly key: string | undefined }[];
  readonly approved: string[];
  readonly sessions: string[];
  readonly keys: { readonly id: string; readonly secret: string }[];
  readonly revoked: string[];
}

type Send = (
  path: string,
  body?: object,
  headers?: Record<string, string>,
  method?: string,
) => Promise<Response>;

async function aServer(
  cwd: string,
): Promise<{ child: { kill(): void; ended: Promise<unknown> }; send: Send }> {
  const { child, url, headers } = await serveTutti({ cwd });
  const ended = once(child, 'exit');
  const send: Send = (path, body, more = {}, method = body === undefined ? 'GET' : 'POST') =>
    fetch(`${url}/api/v1${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json', ...more },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return { child: { kill: () => void child.kill('SIGKILL'), ended }, send };
}

/** Changes of all kinds, until the server is gone; what was answered is noted, nothing else. */
async function changeThings(send: Send, client: string, noted: Acknowledged): Promise<void> {
  const post = async (path: string, body: object, headers?: Record<string, string>) => {
    const response = await send(path, body, headers);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  for (let number = 0; ; number += 1) {
    const key = number % 2 === 0 ? `${client}-${number}` : undefined;
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    const { runId } = await post('/runs', { plan }, headers);
    noted.runs.push({ runId, key });
    const session = await post('/sessions', { title: client });
    noted.sessions.push(session.id);
    const made = await post('/keys', { name: `${client}-${number}`, role: 'viewer' });
    noted.keys.push({ id: made.key.id, secret: made.secret });
    const asking = await post('/runs', { plan: waiting });
    const [wait] = await waitsOf(send, asking.runId);
    await post(`/runs/${asking.runId}/approve`, { approvalId: wait.approvalId });
    noted.approved.push(asking.runId);
    const other = await post('/keys', { name: `${client}-${number}-off`, role: 'viewer' });
    const { status } = await send(`/keys/${other.key.id}`, undefined, {}, 'DELETE');
    if (status !== 200) throw new Error(`Revoked with ${status}`);
    noted.revoked.push(other.secret);
  }
}

async function waitsOf(send: Send, runId: string) {
  for (;;) {
    const response = await send(`/runs/${runId}`);
    const { waitingFor } = JSON.parse(await response.text());
    if (waitingFor.length > 0) return waitingFor;
    await pause(5);
  }
}

async function untilEnded(send: Send, runId: string): Promise<string> {
  const endsAt = performance.now() + maxEndMs;
  for (;;) {
    const response = await send(`/runs/${runId}`);
    expect(response.status, runId).toBe(200);
    const { status } = JSON.parse(await response.text());
    if (status === 'succeeded' || performance.now() > endsAt) return status;
    await pause(50);
  }
}

/** Everything that was answered for is there, and is so only once. */
async function examine(send: Send, noted: Acknowledged): Promise<void> {
  for (const { runId } of noted.runs) expect(await untilEnded(send, runId)).toBe('succeeded');
  for (const runId of noted.approved) expect(await untilEnded(send, runId)).toBe('succeeded');
  for (const { runId, key } of noted.runs) {
    if (key === undefined) continue;
    const again = await send('/runs', { plan }, { 'idempotency-key': key });
    expect(JSON.parse(await again.text()).runId).toBe(runId);
  }
  for (const id of noted.sessions) expect((await send(`/sessions/${id}`)).status).toBe(200);
  for (const { secret } of noted.keys) {
    const headers = { authorization: `Bearer ${secret}` };
    expect((await send('/health', undefined, headers)).status).toBe(200);
  }
  for (const secret of noted.revoked) {
    const headers = { authorization: `Bearer ${secret}` };
    expect((await send('/health', undefined, headers)).status).toBe(401);
  }
}

it(
  'nothing that was acknowledged is lost when the server is killed under load and started again',
  { timeout: kills * 60_000 + 60_000 },
  async () => {
    const cwd = aFolder();
    const random = seededRandom(20);
    mkdirSync(join(cwd, '.config', 'tutti'), { recursive: true });
    const rate_limit = { per_second: 100_000, burst: 100_000, failed_logins_per_minute: 10_000 };
    writeFileSync(
      join(cwd, '.config', 'tutti', 'config.yaml'),
      JSON.stringify({ server: { rate_limit } }),
    );
    let total = 0;
    for (let round = 0; round < kills; round += 1) {
      const noted: Acknowledged = { runs: [], approved: [], sessions: [], keys: [], revoked: [] };
      const { child, send } = await aServer(cwd);
      const work = Array.from({ length: clients }, (_, number) =>
        changeThings(send, `r${round}c${number}`, noted),
      );
      const ends = Promise.allSettled(work);
      // Not before something was acknowledged.
      while (noted.revoked.length === 0) await Promise.race([pause(20), ...work]);
      await pause(random() * maxLoadMs);
      child.kill();
      await child.ended;
      for (const end of await ends) {
        // The only thing that may stop a client is that the server is gone.
        expect(String(end.status === 'rejected' && end.reason)).toMatch(/fetch failed|terminated/);
      }
      const restarted = await aServer(cwd);
      await examine(restarted.send, noted);
      restarted.child.kill();
      await restarted.child.ended;
      total += Object.values(noted).flat().length;
    }
    expect(total).toBeGreaterThan(kills * 5);
    const verdict = await runTutti(['audit', 'verify', '--json'], { cwd });
    expect(JSON.parse(verdict.stdout), verdict.stderr).toMatchObject({ isIntact: true });
  },
);
