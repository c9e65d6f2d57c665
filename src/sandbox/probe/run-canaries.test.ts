import { describe, expect, it } from 'vitest';
import { protections, type SandboxResult } from '../../contract/sandbox/index.ts';
import type { SandboxJob } from '../driver.ts';
import { FakeDriver, type Script } from '../../../testkit/sandbox/fake-driver.ts';
import { isolationProtections } from './judge-isolation.ts';
import { runCanaries } from './run-canaries.ts';

const declared = { 'dies-with-us': { holder: 'kernel', evidence: 'by the kernel' } } as const;

function ended(reason: SandboxResult['reason']): Script {
  return { result: { status: 'killed', reason, exitCode: null } };
}

/** What happens to each canary in a sandbox that holds all limits. */
function heldScript({ program, files }: SandboxJob): Script {
  const text = program.kind === 'command' ? program.argv.at(-1) : files['canary.cjs'];
  if (typeof text !== 'string') throw new Error('no canary');
  if (text.includes('sleep 0.6')) return ended('pids');
  if (text.includes('head -c')) return ended('output');
  if (text.startsWith('(while')) return ended('timeout');
  if (text.startsWith('while')) return ended('cpu');
  if (text.includes('kept.push')) return ended('memory');
  if (text.includes('opened.push')) return { stdout: 'open 80 EMFILE\ndisk 4000 ENOSPC\n' };
  return { exitCode: 1, stderr: 'no answer' };
}

function notHeldOf(reports: Awaited<ReturnType<typeof runCanaries>>): string[] {
  return reports.filter(({ holder }) => holder === 'none').map(({ protection }) => protection);
}

describe('canaries', () => {
  it('report every protection once, in order, with one line of evidence', async () => {
    const reports = await runCanaries(new FakeDriver({ script: heldScript }), { declared });
    expect(reports.map(({ protection }) => protection)).toEqual(protections);
    for (const { evidence } of reports) expect(evidence).toMatch(/^[^\n]+$/);
    expect(notHeldOf(reports)).toEqual(isolationProtections);
  });

  it('leave no sandbox, no listener, no variable and no file behind', async () => {
    const driver = new FakeDriver({ script: heldScript });
    const before = Object.keys(process.env).length;
    await runCanaries(driver, { declared });
    expect(driver.prepared.length).toBeGreaterThan(6);
    expect(driver.living).toBe(0);
    expect(Object.keys(process.env).length).toBe(before);
  });

  it('take the driver at its word for who holds what a canary found held', async () => {
    const facts = { declared, holders: { memory: 'kernel' }, fixes: { pids: 'delegate' } } as const;
    const reports = await runCanaries(new FakeDriver({ script: heldScript }), facts);
    const of = (name: string) => reports.find(({ protection }) => protection === name);
    expect(of('memory')).toMatchObject({ holder: 'kernel' });
    expect(of('pids')).toMatchObject({ holder: 'supervisor', fix: 'delegate' });
    expect(of('dies-with-us')).toEqual({ protection: 'dies-with-us', ...declared['dies-with-us'] });
  });

  it('name what gets through, whatever the driver says of it', async () => {
    const script = (job: SandboxJob): Script => {
      const held = heldScript(job);
      return held.result?.reason === 'memory' ? { exitCode: 0 } : held;
    };
    const facts = { declared, holders: { memory: 'kernel' } } as const;
    expect(notHeldOf(await runCanaries(new FakeDriver({ script }), facts))).toContain('memory');
  });

  it('name what the driver was told to leave out, and what it does not declare', async () => {
    const facts = { declared, leftOut: ['pids', 'dies-with-us'] } as const;
    const reports = await runCanaries(new FakeDriver({ script: heldScript }), facts);
    expect(notHeldOf(reports)).toEqual([...isolationProtections, 'dies-with-us', 'pids']);
    const undeclared = await runCanaries(new FakeDriver({ script: heldScript }), {});
    expect(notHeldOf(undeclared)).toContain('dies-with-us');
  });

  it('measure once more what was not held the first time', async () => {
    let failures = 1;
    const script = (job: SandboxJob): Script => {
      const held = heldScript(job);
      if (held.result?.reason !== 'cpu' || failures === 0) return held;
      failures -= 1;
      return ended('timeout');
    };
    expect(notHeldOf(await runCanaries(new FakeDriver({ script }), { declared }))).toEqual(
      isolationProtections,
    );
  });

  it('prove nothing when they cannot run, and say why', async () => {
    const driver = new FakeDriver();
    driver.failure = 'no user namespaces';
    const reports = await runCanaries(driver, {});
    expect(notHeldOf(reports)).toEqual(protections);
    expect(reports[0]?.evidence).toContain('no user namespaces');
  });

  it('end when they are told to', async () => {
    const driver = new FakeDriver({ script: () => ({ isEndless: true }) });
    const reports = await runCanaries(driver, {}, AbortSignal.abort(new Error('stop')));
    expect(notHeldOf(reports)).toEqual(protections);
    expect(driver.prepared).toEqual([]);
  });
});
