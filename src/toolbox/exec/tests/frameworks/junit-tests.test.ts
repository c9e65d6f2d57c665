import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noDependencies } from '../project.ts';
import { findJunit } from './junit-tests.ts';

function aFolder(...paths: string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'tutti-jars-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
  }
  return root;
}

const project = (...paths: string[]) => ({
  files: Object.fromEntries(paths.map((path) => [path, ''])),
  dependencies: noDependencies,
  notes: [],
});

const five = (platform: string, jupiter: string): string[] => [
  ...['launcher', 'engine', 'commons'].map(
    (name) =>
      `org/junit/platform/junit-platform-${name}/${platform}/junit-platform-${name}-${platform}.jar`,
  ),
  ...['api', 'engine'].map(
    (name) =>
      `org/junit/jupiter/junit-jupiter-${name}/${jupiter}/junit-jupiter-${name}-${jupiter}.jar`,
  ),
];
const assertions = 'org/opentest4j/opentest4j/1.3.0/opentest4j-1.3.0.jar';

describe('finding JUnit', () => {
  it('takes the jars of the project first', async () => {
    expect(await findJunit(4, project('lib/junit-4.13.2.jar', 'lib/x.jar'), [])).toEqual({
      own: ['lib/junit-4.13.2.jar', 'lib/x.jar'],
      outside: [],
    });
    const standalone = project('lib/junit-platform-console-standalone-1.10.2.jar');
    expect(await findJunit(5, standalone, [])).toMatchObject({ outside: [] });
  });

  it('takes the newest version of a Maven repository of which all is there', async () => {
    const folder = aFolder(
      ...five('1.9.3', '5.9.3'),
      ...five('1.10.2', '5.10.2'),
      // Incomplete: its engine is missing.
      ...five('1.12.0', '5.12.0').slice(0, 1),
      assertions,
    );
    const found = await findJunit(5, project(), [aFolder(), folder]);
    expect(found?.outside).toHaveLength(6);
    expect(found?.outside.filter((jar) => jar.includes('10.2'))).toHaveLength(5);
  });

  it('knows that all parts have one number since version 6', async () => {
    const found = await findJunit(5, project(), [aFolder(...five('6.1.0', '6.1.0'), assertions)]);
    expect(found?.outside).toHaveLength(6);
  });

  it('needs the vintage engine to run both generations', async () => {
    const names = ['launcher', 'engine', 'commons'].map((name) => `junit-platform-${name}.jar`);
    const parts = [...names, 'junit-jupiter-api.jar', 'junit-jupiter-engine.jar', 'opentest4j.jar'];
    const without = aFolder(...parts, 'junit4.jar', 'hamcrest.jar');
    expect(await findJunit('both', project(), [without])).toBeUndefined();
    const complete = aFolder(...parts, 'junit4.jar', 'hamcrest.jar', 'junit-vintage-engine.jar');
    expect((await findJunit('both', project(), [complete]))?.outside).toHaveLength(9);
  });

  it('finds nothing where nothing is', async () => {
    expect(await findJunit(4, project(), ['/nowhere'])).toBeUndefined();
    expect(await findJunit(5, project(), [aFolder()])).toBeUndefined();
  });
});
