import { describe, expect, it } from 'vitest';
import { AppError, silentLog } from '../../kernel/index.ts';
import { aConnection, type FakeConnection } from '../../../testkit/fleet/a-server.ts';
import { aPolicy } from '../../../testkit/fleet/a-policy.ts';
import { ManualTimers, settle } from '../../../testkit/fleet/manual-timers.ts';
import type { Connection } from './connection.ts';
import { ConnectionKeeper } from './connection-keeper.ts';
import type { SupervisionPolicy } from './supervision-policy.ts';

const never = new AbortController().signal;

type Attempt = (signal: AbortSignal) => Promise<Connection>;

/** A keeper whose starts go as `attempts` say, in order; the last one counts for all further. */
function aKeeper(attempts: readonly Attempt[], policy: Partial<SupervisionPolicy> = {}) {
  const timers = new ManualTimers();
  const seen = { starts: 0, connected: 0 };
  const keeper = new ConnectionKeeper({
    name: 'git',
    policy: aPolicy(policy),
    connect: (signal) => {
      const attempt = attempts[Math.min(seen.starts, attempts.length - 1)];
      seen.starts += 1;
      if (!attempt) throw new Error('no attempt');
      return attempt(signal);
    },
    timers,
    random: () => 1,
    stateWhenRefusing: 'crash-looping',
    log: silentLog,
    onConnected: () => {
      seen.connected += 1;
    },
  });
  return { keeper, timers, seen };
}

const works =
  (connection: FakeConnection = aConnection('git')): Attempt =>
  async () =>
    connection;
const fails =
  (message = 'no database'): Attempt =>
  () =>
    Promise.reject(new Error(message));

class NotThereError extends AppError {
  readonly code = 'test.not_there';
}

describe('a keeper of a connection', () => {
  it('starts one connection for 200 first calls', async () => {
    const { keeper, seen } = aKeeper([works()]);
    const all = await Promise.all(Array.from({ length: 200 }, () => keeper.acquire(never)));
    expect(new Set(all).size).toBe(1);
    expect(seen.starts).toBe(1);
    expect(keeper.state).toBe('ready');
  });

  it('starts nothing before it is needed', async () => {
    const { keeper, timers, seen } = aKeeper([works()]);
    await timers.pass(3_600_000);
    expect([keeper.state, seen.starts]).toEqual(['idle', 0]);
  });

  it('lets a call wait while a start is tried again, with pauses that double', async () => {
    const { keeper, timers, seen } = aKeeper([fails(), fails(), works()]);
    const waiting = keeper.acquire(never);
    await settle();
    expect([keeper.state, seen.starts]).toEqual(['restarting', 1]);
    await timers.pass(99);
    expect(seen.starts).toBe(1);
    await timers.pass(1);
    expect(seen.starts).toBe(2);
    await timers.pass(199);
    expect(seen.starts).toBe(2);
    await timers.pass(1);
    await expect(waiting).resolves.toBeDefined();
    expect([keeper.state, keeper.restarts]).toEqual(['ready', 2]);
  });

  it('refuses calls at once, with reason and time, after as many failures as its entry allows', async () => {
    const { keeper, timers, seen } = aKeeper([fails()]);
    const waiting = keeper.acquire(never);
    const refused = waiting.catch((error: unknown) => error);
    await timers.pass(1_000);
    expect(await refused).toMatchObject({
      code: 'fleet.server_unavailable',
      message: 'Server "git" cannot be reached: no database. The next attempt is in 10 s',
    });
    expect(keeper.state).toBe('crash-looping');
    await expect(keeper.acquire(never)).rejects.toThrow('The next attempt is in 10 s');
    expect(seen.starts).toBe(3);
  });

  it('is tried once by the first call after the pause, and refuses longer if that fails', async () => {
    const { keeper, timers, seen } = aKeeper([fails(), fails(), fails(), fails(), works()]);
    const first = keeper.acquire(never).catch(() => {});
    await timers.pass(1_000);
    await first;
    await timers.pass(60_000);
    expect(seen.starts).toBe(3);
    await expect(keeper.acquire(never)).rejects.toThrow('next attempt is in 20 s');
    await timers.pass(20_000);
    await keeper.acquire(never);
    expect(keeper.state).toBe('ready');
  });

  it('tries a server that is not lazy again by itself', async () => {
    const attempts = [fails(), fails(), fails(), works()];
    const { keeper, timers } = aKeeper(attempts, { isLazy: false });
    const first = keeper.acquire(never).catch(() => {});
    await timers.pass(1_000);
    await first;
    await timers.pass(10_000);
    expect(keeper.state).toBe('ready');
  });

  it('does not repeat a start that cannot succeed: the server has failed', async () => {
    const { keeper, seen } = aKeeper([() => Promise.reject(new NotThereError('no such program'))]);
    await expect(keeper.acquire(never)).rejects.toThrow('no such program');
    expect([keeper.state, seen.starts]).toEqual(['failed', 1]);
  });

  it('restarts a server that exited, and calls meanwhile wait for it', async () => {
    const [first, second] = [aConnection('git'), aConnection('git')];
    const { keeper, timers } = aKeeper([works(first), works(second)]);
    await keeper.acquire(never);
    first.end('The process exited with code 1');
    await settle();
    expect(keeper.state).toBe('restarting');
    expect(keeper.lastError).toBe('The process exited with code 1');
    const waiting = keeper.acquire(never);
    await timers.pass(100);
    expect(await waiting).toBe(second);
  });

  it('calls a server that comes up and ends again and again crash-looping', async () => {
    const dies: Attempt = async () => {
      const connection = aConnection('git');
      setImmediate(() => connection.end('segmentation fault'));
      return connection;
    };
    const { keeper, timers, seen } = aKeeper([dies]);
    await keeper.acquire(never);
    await timers.pass(5_000);
    expect([keeper.state, seen.starts]).toEqual(['crash-looping', 3]);
    await expect(keeper.acquire(never)).rejects.toThrow('segmentation fault');
  });

  it('forgets failures once the server answered, or stayed up for a while', async () => {
    const connections = Array.from({ length: 6 }, () => aConnection('git'));
    const { keeper, timers } = aKeeper(connections.map((it) => works(it)));
    await keeper.acquire(never);
    for (const connection of connections.slice(0, 2)) {
      keeper.noteHealthy();
      connection.end('again');
      await timers.pass(100);
    }
    for (const connection of connections.slice(2, 5)) {
      await timers.pass(31_000);
      connection.end('again');
      await timers.pass(200);
    }
    expect(keeper.state).toBe('ready');
  });

  it('ends the wait of a call whose time is up, and goes on starting', async () => {
    const starting = Promise.withResolvers<Connection>();
    const { keeper } = aKeeper([() => starting.promise]);
    const cancel = new AbortController();
    const waiting = keeper.acquire(cancel.signal);
    cancel.abort(new Error('time is up'));
    await expect(waiting).rejects.toThrow('time is up');
    starting.resolve(aConnection('git'));
    await settle();
    expect(keeper.state).toBe('ready');
    await expect(keeper.acquire(cancel.signal)).rejects.toThrow('time is up');
  });

  it('stops an idle server, and starts it on the next call', async () => {
    const connection = aConnection('git');
    const { keeper, timers, seen } = aKeeper([works(connection)], { idleStopMs: 5_000 });
    await keeper.acquire(never);
    await timers.pass(4_999);
    expect(keeper.state).toBe('ready');
    await timers.pass(6_000);
    expect([keeper.state, connection.closed.count]).toEqual(['idle', 1]);
    await keeper.acquire(never);
    expect([seen.starts, keeper.restarts]).toEqual([2, 0]);
  });

  it('does not stop a server with a call in flight as idle', async () => {
    const { keeper, timers } = aKeeper([works()], { idleStopMs: 5_000 });
    await keeper.acquire(never);
    keeper.hold();
    await timers.pass(60_000);
    expect(keeper.state).toBe('ready');
    keeper.release();
    await timers.pass(10_000);
    expect(keeper.state).toBe('idle');
  });

  it('starts anew only when the connection before is gone', async () => {
    const gone = Promise.withResolvers<void>();
    const first = aConnection('git', { close: () => gone.promise });
    const { keeper, seen } = aKeeper([works(first), works()]);
    await keeper.acquire(never);
    const restarted = keeper.restart(never);
    await settle();
    expect(seen.starts).toBe(1);
    gone.resolve();
    await restarted;
    expect([seen.starts, keeper.restarts]).toEqual([2, 1]);
  });

  it('gives up a start that takes too long, and closes what comes of it later', async () => {
    const late = Promise.withResolvers<Connection>();
    const connection = aConnection('git');
    const { keeper } = aKeeper([() => late.promise], { startLimitMs: 1, retryAttempts: 0 });
    await expect(keeper.acquire(never)).rejects.toThrow('Starting server "git" did not finish');
    late.resolve(connection);
    await settle();
    expect(connection.closed.count).toBe(1);
  });

  it('refuses everybody once it is closed', async () => {
    const starting = Promise.withResolvers<Connection>();
    const { keeper } = aKeeper([() => starting.promise]);
    const refused = keeper.acquire(never).catch((error: unknown) => error);
    await keeper.close();
    expect(String(await refused)).toContain('it is being stopped');
    await expect(keeper.acquire(never)).rejects.toThrow('it was stopped or removed');
  });
});

describe('the health of a server', () => {
  const silent = (): { connection: FakeConnection; pings: { count: number } } => {
    const pings = { count: 0 };
    const connection = aConnection('git', {
      ping: () => {
        pings.count += 1;
        return Promise.reject(new Error('no answer'));
      },
    });
    return { connection, pings };
  };

  it('is asked for when it has been silent for long, and a failed ping restarts it', async () => {
    const { connection } = silent();
    const { keeper, timers, seen } = aKeeper([works(connection), works()]);
    await keeper.acquire(never);
    await timers.pass(29_999);
    expect(seen.starts).toBe(1);
    await timers.pass(1_000);
    expect(keeper.lastError).toBe('It did not answer a ping: no answer');
    expect([keeper.state, seen.starts]).toEqual(['ready', 2]);
  });

  it('is not asked for while traffic shows it', async () => {
    const { connection, pings } = silent();
    const { keeper, timers } = aKeeper([works(connection)]);
    await keeper.acquire(never);
    for (let round = 0; round < 10; round += 1) {
      await timers.pass(10_000);
      connection.lastTrafficAt = timers.now();
    }
    expect(pings.count).toBe(0);
  });

  it('is not judged by a ping while the server works on a call', async () => {
    const { connection, pings } = silent();
    const { keeper, timers, seen } = aKeeper([works(connection), works()]);
    await keeper.acquire(never);
    keeper.hold();
    await timers.pass(61_000);
    expect(pings.count).toBeGreaterThan(0);
    expect(seen.starts).toBe(1);
  });

  it('is looked at when a call took too long', async () => {
    const { connection } = silent();
    const { keeper, timers, seen } = aKeeper([works(connection), works()]);
    await keeper.acquire(never);
    void keeper.suspect(timers.now());
    await timers.pass(200);
    expect(seen.starts).toBe(2);
  });
});

describe('a keeper whose start is under way', () => {
  /** A start that ends only when the test says so, whatever its signal says. */
  const slowStart = () => {
    const opening = Promise.withResolvers<Connection>();
    const attempt: Attempt = () => opening.promise;
    return { ...opening, attempt };
  };

  it('starts anew only when the start it gave up is gone', async () => {
    const slow = slowStart();
    const { keeper, timers, seen } = aKeeper([slow.attempt, works()]);
    const first = keeper.acquire(never);
    await settle();
    const restarted = keeper.restart(never);
    await settle();
    expect(seen.starts).toBe(1);
    slow.reject(new Error('stopped'));
    await timers.pass(0);
    await Promise.all([first, restarted]);
    expect(seen.starts).toBe(2);
  });

  it('waits for what comes too late to be gone as well', async () => {
    const slow = slowStart();
    const closing = Promise.withResolvers<void>();
    const late = aConnection('git', { close: () => closing.promise });
    const { keeper, timers, seen } = aKeeper([slow.attempt, works()], { startLimitMs: 20 });
    const call = keeper.acquire(never);
    await expect.poll(() => keeper.state).toBe('restarting');
    slow.resolve(late);
    await timers.pass(1_000);
    expect(seen.starts).toBe(1);
    closing.resolve();
    await call;
    expect(seen.starts).toBe(2);
  });

  it('is closed when that start is gone, and waits a limited time for it', async () => {
    const slow = slowStart();
    const { keeper, timers } = aKeeper([slow.attempt]);
    const call = keeper.acquire(never).catch(() => 'refused');
    await settle();
    let isClosed = false;
    const closed = keeper.close().then(() => (isClosed = true));
    expect(await call).toBe('refused');
    await timers.pass(1_000);
    expect(isClosed).toBe(false);
    await timers.pass(60_000);
    await closed;
  });

  it('cannot be restarted once it is closed', async () => {
    const { keeper, seen } = aKeeper([works()]);
    await keeper.close();
    await expect(keeper.restart(never)).rejects.toMatchObject({ code: 'fleet.server_unavailable' });
    expect(seen.starts).toBe(0);
  });
});

describe('a server that hangs under steady calls', () => {
  const hangs = (): FakeConnection =>
    aConnection('git', { ping: () => Promise.reject(new Error('no answer')) });

  it('is restarted when it said nothing since a call began that took too long', async () => {
    const hung = hangs();
    const { keeper, timers, seen } = aKeeper([works(hung), works()]);
    await keeper.acquire(never);
    keeper.hold();
    await timers.pass(10_000);
    hung.lastTrafficAt = timers.now() - 9_000;
    void keeper.suspect(timers.now() - 8_000);
    await timers.pass(1_000);
    expect(hung.closed.count).toBe(1);
    expect(seen.starts).toBe(2);
  });

  it('is left alone when it answered others meanwhile', async () => {
    const busy = hangs();
    const { keeper, timers } = aKeeper([works(busy)]);
    await keeper.acquire(never);
    keeper.hold();
    await timers.pass(10_000);
    busy.lastTrafficAt = timers.now() - 1_000;
    void keeper.suspect(timers.now() - 8_000);
    await timers.pass(1_000);
    expect(busy.closed.count).toBe(0);
  });

  it('is pinged once for however many calls that took too long', async () => {
    let pings = 0;
    const connection = aConnection('git', {
      ping: () => {
        pings += 1;
        return new Promise(() => {});
      },
    });
    const { keeper, timers } = aKeeper([works(connection)]);
    await keeper.acquire(never);
    for (let call = 0; call < 100; call += 1) void keeper.suspect(timers.now());
    expect(pings).toBe(1);
  });
});
