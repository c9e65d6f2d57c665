import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { FleetControl } from '../contract/fleet/index.ts';
import { silentLog } from '../kernel/index.ts';
import { openControl, requestEverywhere } from './control.ts';

const limitMs = 10_000;

function aHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'tutti-control-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

function aFleet(restarted: string[]): FleetControl {
  return {
    status: async () => [],
    startAll: async () => {},
    restart: async (name) => {
      if (name !== 'known') throw new Error('never heard of it');
      restarted.push(name);
    },
    logs: async () => [],
    diffTools: async () => [],
    rereadTools: async () => {},
    acceptTools: async () => [],
    login: () => Promise.reject(new Error('not used')),
    logout: async () => ({ isDone: false, isRevoked: false }),
    collisions: () => [],
  };
}

function aLog(levels: string[] = []) {
  return { ...silentLog, setLevel: (level: string) => void levels.push(level) };
}

it('has a running process log from another level on', async () => {
  const home = aHome();
  const levels: string[] = [];
  const checkFiles = async () => {};
  const desk = await openControl({ home, fleet: aFleet([]), checkFiles, log: aLog(levels) });
  const { pid } = process;
  expect(await requestEverywhere(home, { logLevel: 'debug' }, limitMs)).toEqual({
    processes: 1,
    answers: [{ pid, isDone: true, message: 'logs debug' }],
  });
  expect(levels).toEqual(['debug']);
  await desk.close();
});

it('has a running process restart a server, and tells what came of it', async () => {
  const home = aHome();
  const restarted: string[] = [];
  const desk = await openControl({
    home,
    fleet: aFleet(restarted),
    checkFiles: async () => {},
    log: aLog(),
  });
  const { pid } = process;
  expect(await requestEverywhere(home, { restart: 'known' }, limitMs)).toEqual({
    processes: 1,
    answers: [{ pid, isDone: true, message: '"known" was restarted' }],
  });
  expect(restarted).toEqual(['known']);
  expect((await requestEverywhere(home, { restart: 'unknown' }, limitMs)).answers).toMatchObject([
    { isDone: false, message: expect.stringContaining('never heard of it') },
  ]);
  await desk.close();
  expect(await requestEverywhere(home, { restart: 'known' }, limitMs)).toEqual({
    processes: 0,
    answers: [],
  });
});

it('clears away what processes left that are gone, and ignores what it does not know', async () => {
  const home = aHome();
  const gone = join(home, 'run/control/4194399');
  mkdirSync(gone, { recursive: true });
  mkdirSync(join(home, 'run/control/notes'));
  writeFileSync(join(gone, 'x.request.json'), '{}');
  expect(await requestEverywhere(home, { restart: 'known' }, limitMs)).toEqual({
    processes: 0,
    answers: [],
  });
  expect(readdirSync(join(home, 'run/control'))).toEqual(['notes']);
});

it('does not wait for ever for a process that does not answer', async () => {
  const home = aHome();
  mkdirSync(join(home, 'run/control', String(process.pid)), { recursive: true });
  expect(await requestEverywhere(home, { restart: 'known' }, 1)).toEqual({
    processes: 1,
    answers: [],
  });
});

it('answers a request it does not understand', async () => {
  const home = aHome();
  const desk = await openControl({
    home,
    fleet: aFleet([]),
    checkFiles: async () => {},
    log: aLog(),
  });
  const folder = join(home, 'run/control', String(process.pid));
  writeFileSync(join(folder, 'odd.request.json'), 'nonsense');
  await expect.poll(() => readdirSync(folder), { timeout: limitMs }).toEqual(['odd.answer.json']);
  await desk.close();
});

it('passes over a process that goes while it is asked', async () => {
  const home = aHome();
  mkdirSync(join(home, 'run/control'), { recursive: true });
  writeFileSync(join(home, 'run/control', String(process.pid)), 'no folder any more');
  expect(await requestEverywhere(home, { restart: 'known' }, limitMs)).toEqual({
    processes: 0,
    answers: [],
  });
});
