import { describe, expect, it, vi } from 'vitest';
import { clientInfo, connectTo } from '../../../testkit/fleet/upstream/a-context.ts';
import {
  aHandshakeServer,
  aStatelessServer,
  RpcFault,
  ScriptedServer,
} from '../../../testkit/fleet/upstream/scripted-server.ts';
import { upstreamLimits } from './upstream-limits.ts';

describe('connectUpstream', () => {
  it('speaks the stateless era with a server that has it', async () => {
    const server = aStatelessServer();
    const upstream = await connectTo(server);
    expect(upstream.negotiated).toMatchObject({
      era: 'stateless',
      protocolVersion: '2026-07-28',
      serverInfo: { name: 'scripted', version: '2.0.0' },
      instructions: 'Be brief.',
    });
    expect(server.methods()).toEqual(['server/discover']);
    expect(server.received[0]?.params['_meta']).toEqual({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    });
  });

  it('shakes hands with a server that refuses the probe, whatever its error is', async () => {
    for (const code of [-32_601, -32_602, -32_600, -32_000]) {
      const server = aHandshakeServer().on('server/discover', () => {
        throw new RpcFault({ code, message: 'no' });
      });
      const upstream = await connectTo(server);
      expect(upstream.negotiated).toMatchObject({
        era: 'handshake',
        protocolVersion: '2025-11-25',
      });
      expect(upstream).toMatchObject({
        title: 'Scripted',
        version: '1.2.3',
        instructions: 'Be kind.',
      });
      await server.untilSent('notifications/initialized');
      expect(server.opened).toBe(1);
    }
  });

  it('offers its newest handshake version and what its clients can be asked', async () => {
    const server = aHandshakeServer();
    await connectTo(server);
    expect(server.ofMethod('initialize')[0]?.params).toEqual({
      protocolVersion: '2025-11-25',
      capabilities: {
        elicitation: { form: {}, url: {} },
        sampling: { tools: {}, context: {} },
        roots: { listChanged: true },
      },
      clientInfo,
    });
  });

  it('accepts every handshake version down to the first', async () => {
    for (const protocolVersion of ['2025-06-18', '2025-03-26', '2024-11-05']) {
      const upstream = await connectTo(aHandshakeServer({ protocolVersion }));
      expect(upstream.protocolVersion).toBe(protocolVersion);
    }
  });

  it('offers another version when the server refuses the newest and names what it has', async () => {
    const server = aHandshakeServer({ protocolVersion: '2024-11-05' });
    const accept = server.answers.get('initialize');
    server.on('initialize', (params, received) => {
      if (params['protocolVersion'] === '2024-11-05') return accept?.(params, received);
      const data = { supported: ['2024-11-05'], requested: params['protocolVersion'] };
      throw new RpcFault({ code: -32_602, message: 'Unsupported protocol version', data });
    });
    expect((await connectTo(server)).protocolVersion).toBe('2024-11-05');
  });

  it('reports the unsupported version a server speaks', async () => {
    const connecting = connectTo(aHandshakeServer({ protocolVersion: '1999-01-01' }));
    await expect(connecting).rejects.toMatchObject({
      code: 'fleet.negotiation_failed',
      message: expect.stringContaining('"1999-01-01"') as string,
    });
  });

  it('greets a server that leaves the probe unanswered the older way on the same link', async () => {
    vi.useFakeTimers();
    try {
      const server = aHandshakeServer().on('server/discover', () => undefined);
      const connecting = connectTo(server, { timeoutMs: 60_000 });
      await server.untilSent('server/discover');
      await vi.advanceTimersByTimeAsync(upstreamLimits.probeMs);
      expect((await connecting).negotiated.era).toBe('handshake');
      expect(server.opened).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it('uses a late answer to the probe when the older greeting stays unanswered', async () => {
    vi.useFakeTimers();
    try {
      const server = aStatelessServer();
      const late = server.answers.get('server/discover');
      server.on('initialize', () => undefined).on('server/discover', () => undefined);
      const connecting = connectTo(server, { timeoutMs: 60_000 });
      const probe = await server.untilSent('server/discover');
      await vi.advanceTimersByTimeAsync(upstreamLimits.probeMs);
      await server.untilSent('initialize');
      server.send({ id: probe.id, result: await late?.({}, probe) });
      await vi.advanceTimersByTimeAsync(upstreamLimits.probeMs);
      expect((await connecting).negotiated.era).toBe('stateless');
    } finally {
      vi.useRealTimers();
    }
  });

  it('opens a server again that ends on the probe, and does not probe it then', async () => {
    const server = aHandshakeServer();
    server.on('server/discover', () => {
      server.end({ reason: 'it exited with code 1', isWanted: false, exitCode: 1 });
      return undefined;
    });
    const upstream = await connectTo(server);
    expect(upstream.negotiated.era).toBe('handshake');
    expect(server.opened).toBe(2);
    expect(server.ofMethod('server/discover')).toHaveLength(1);
  });

  it('does not probe a server that is known to shake hands', async () => {
    const server = aHandshakeServer();
    await connectTo(server, { knownEra: 'handshake' });
    expect(server.methods()).not.toContain('server/discover');
  });

  it('finds out by itself that what it knew of a server is no longer true', async () => {
    const newer = await connectTo(aStatelessServer(), { knownEra: 'handshake' });
    expect(newer.negotiated.era).toBe('stateless');
    const older = await connectTo(aHandshakeServer(), { knownEra: 'stateless' });
    expect(older.negotiated.era).toBe('handshake');
  });

  it('rejects and leaves nothing open when the server refuses both', async () => {
    const server = new ScriptedServer();
    await expect(connectTo(server)).rejects.toMatchObject({ code: 'fleet.negotiation_failed' });
    expect(server.methods()).toEqual(['server/discover', 'initialize']);
  });

  it('rejects with the reason when the server ends before it introduced itself', async () => {
    const server = new ScriptedServer();
    const exit = (): undefined => {
      server.end({ reason: 'it exited with code 3', isWanted: false, exitCode: 3 });
      return undefined;
    };
    server.on('server/discover', exit).on('initialize', exit);
    await expect(connectTo(server)).rejects.toMatchObject({
      code: 'fleet.server_unavailable',
      message: expect.stringContaining('it exited with code 3') as string,
    });
  });

  it('gives up after its time limit', async () => {
    const server = new ScriptedServer()
      .on('server/discover', () => undefined)
      .on('initialize', () => undefined);
    await expect(connectTo(server, { timeoutMs: 20 })).rejects.toMatchObject({
      code: 'kernel.time_limit',
    });
  });

  it('stops when the connection is aborted', async () => {
    const stop = new AbortController();
    const server = new ScriptedServer().on('server/discover', () => undefined);
    const connecting = connectTo(server, { signal: stop.signal });
    await server.untilSent('server/discover');
    stop.abort(new Error('not wanted'));
    await expect(connecting).rejects.toThrow('not wanted');
  });
});
