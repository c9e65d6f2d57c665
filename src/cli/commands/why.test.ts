import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { FailedAttempt } from '../../contract/experience/index.ts';
import { runWith } from '../../../testkit/cli/run-main.ts';
import { anExperience } from '../../../testkit/memory/an-experience.ts';

const failed: FailedAttempt = {
  kind: 'step',
  subject: 'web.start',
  target: 'deploy/start',
  arguments: { port: 3000 },
  surroundings: {},
  error: { code: 'tool.failed', message: 'listen EADDRINUSE: address already in use', details: {} },
  runId: 'run-1',
  step: 'start',
};

function setUp() {
  const experience = anExperience();
  const why = (...words: string[]) =>
    runWith((system) => ({ ...system, experience }), ['why', ...words]);
  return { experience, why };
}

describe('tutti why', () => {
  it('lists the latest failures, and says when there are none', async () => {
    const { experience, why } = setUp();
    expect((await why()).stdout).toBe('No failure is recorded.\n');
    experience.failed(localCaller, failed);
    const { stdout, exitCode } = await why();
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^\w{12} {2}2026-03-05 12:00 {2}web\.start {2}port-in-use {2}open {2}run-1 {2}listen/,
    );
  });

  it('explains a run: cause, evidence, what to do with the exact command', async () => {
    const { experience, why } = setUp();
    experience.failed(localCaller, failed);
    const { stdout } = await why('run-1');
    expect(stdout).toContain('web.start failed in step "start" of run run-1 (tool.failed)');
    expect(stdout).toContain('Cause: Another process listens on this port.');
    expect(stdout).toContain('  listen EADDRINUSE');
    expect(stdout).toContain("$ ss -ltnp 'sport = :PORT'");
    expect(stdout).toContain('not tried here yet');
  });

  it('says how often a fix cured, and what changed when it did', async () => {
    const { experience, why } = setUp();
    for (let round = 0; round < 3; round += 1) {
      experience.failed(localCaller, failed);
      experience.succeeded(localCaller, { ...failed, arguments: { port: 3001 } });
    }
    const { stdout } = await why('run-1');
    expect(stdout).toContain(
      '1. A later attempt succeeded with port = 3001 instead of 3000 [cured 3 of 3 times, last',
    );
  });

  it('notes outcomes and approvals', async () => {
    const { experience, why } = setUp();
    experience.failed(localCaller, failed);
    const fix = 'shipped:port-in-use:2';
    expect((await why('--cured', fix)).stdout).toBe(`${fix}: cured 1 of 1 uses.\n`);
    expect((await why('--not-cured', fix)).stdout).toBe(`${fix}: cured 1 of 2 uses.\n`);
    expect((await why('--approve', fix)).stdout).toContain('may be used without asking');
    expect((await why('--disapprove', fix)).stdout).not.toContain('without asking');
  });

  it('refuses what does not exist, and two wishes at once', async () => {
    const { why } = setUp();
    expect(await why('nowhere')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('memory.unknown_failure'),
    });
    expect(await why('--cured', 'nothing')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('memory.unknown_fix'),
    });
    expect(await why('--cured', 'a', '--approve', 'b')).toMatchObject({ exitCode: 2 });
  });
});
