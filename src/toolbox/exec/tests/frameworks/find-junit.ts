import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Project } from '../project.ts';

/** `both`: tests of JUnit 4 that run beside those of JUnit 5. */
export type JunitGeneration = 4 | 5 | 'both';

/** The jars tests are compiled and run with. */
export interface JunitJars {
  /** In the project, relative to it. */
  readonly own: readonly string[];
  /** On the host. */
  readonly outside: readonly string[];
}

interface Artifact {
  /** Of the Maven coordinates. */
  readonly group: string;
  readonly name: string;
  /** Its file where a distribution keeps jars without versions. */
  readonly plainNames: readonly string[];
  readonly isOptional?: boolean;
}

const platform = (name: string): Artifact => ({
  group: 'org.junit.platform',
  name: `junit-platform-${name}`,
  plainNames: [`junit-platform-${name}.jar`],
});
const jupiter = (name: string): Artifact => ({
  group: 'org.junit.jupiter',
  name: `junit-jupiter-${name}`,
  plainNames: [`junit-jupiter-${name}.jar`],
});

const junit4: readonly Artifact[] = [
  { group: 'junit', name: 'junit', plainNames: ['junit4.jar', 'junit.jar'] },
  {
    group: 'org.hamcrest',
    name: 'hamcrest-core',
    plainNames: ['hamcrest-core.jar', 'hamcrest.jar'],
  },
];

const junit5: readonly Artifact[] = [
  platform('launcher'),
  platform('engine'),
  platform('commons'),
  jupiter('api'),
  jupiter('engine'),
  { ...jupiter('params'), isOptional: true },
  { group: 'org.opentest4j', name: 'opentest4j', plainNames: ['opentest4j.jar'] },
  {
    group: 'org.apiguardian',
    name: 'apiguardian-api',
    plainNames: ['apiguardian-api.jar'],
    isOptional: true,
  },
];

const vintageEngine: Artifact = {
  group: 'org.junit.vintage',
  name: 'junit-vintage-engine',
  plainNames: ['junit-vintage-engine.jar'],
};

const artifacts: Readonly<Record<JunitGeneration, readonly Artifact[]>> = {
  4: junit4,
  5: junit5,
  both: [...junit5, ...junit4, vintageEngine],
};

/** One jar that holds all of JUnit 5. */
const standaloneJar = /(?:^|\/)junit-platform-console-standalone[^/]*\.jar$/;

const markers: Readonly<Record<JunitGeneration, RegExp>> = {
  4: /(?:^|\/)junit-?4[^/]*\.jar$/,
  5: /(?:^|\/)junit-platform-launcher[^/]*\.jar$/,
  both: /(?:^|\/)junit-vintage-engine[^/]*\.jar$/,
};

/**
 * JUnit from the project's own jars, else from one of the folders: a Maven repository or a folder of
 * jars without versions. Undefined when it is nowhere complete.
 */
export async function findJunit(
  generation: JunitGeneration,
  project: Project,
  folders: readonly string[],
): Promise<JunitJars | undefined> {
  const own = Object.keys(project.files).filter((path) => path.endsWith('.jar'));
  const isInside = own.some(
    (path) => markers[generation].test(path) || (generation !== 4 && standaloneJar.test(path)),
  );
  if (isInside) return { own, outside: [] };
  for (const folder of folders) {
    const outside =
      (await fromPlainFolder(folder, generation)) ?? (await fromMaven(folder, generation));
    if (outside) return { own, outside };
  }
  return undefined;
}

async function fromPlainFolder(
  folder: string,
  generation: JunitGeneration,
): Promise<readonly string[] | undefined> {
  const names = new Set(await readdir(folder).catch(() => []));
  const found: string[] = [];
  for (const { plainNames, isOptional } of artifacts[generation]) {
    const name = plainNames.find((each) => names.has(each));
    if (name !== undefined) found.push(join(folder, name));
    else if (!isOptional) return undefined;
  }
  return found;
}

const maxVersions = 200;

/** The newest version whose parts are all there; platform and Jupiter share all but the first number before 6. */
async function fromMaven(
  folder: string,
  generation: JunitGeneration,
): Promise<readonly string[] | undefined> {
  const leader = artifacts[generation][0];
  if (!leader) return undefined;
  for (const version of await versionsOf(folder, leader)) {
    const jars = await Promise.all(
      artifacts[generation].map((artifact) => mavenJar(folder, artifact, { leader, version })),
    );
    const isComplete = artifacts[generation].every(
      ({ isOptional }, index) => isOptional === true || jars[index] !== undefined,
    );
    if (isComplete) return jars.filter((jar) => jar !== undefined);
  }
  return undefined;
}

interface Led {
  readonly leader: Artifact;
  readonly version: string;
}

async function mavenJar(
  folder: string,
  artifact: Artifact,
  { leader, version }: Led,
): Promise<string | undefined> {
  const isFamily = artifact.group.startsWith('org.junit');
  const wanted =
    artifact.group === leader.group
      ? version
      : isFamily
        ? version.replace(/^1\./, '5.')
        : undefined;
  const versions = wanted === undefined ? await versionsOf(folder, artifact) : [wanted];
  for (const each of versions) {
    const jar = join(placeOf(folder, artifact), each, `${artifact.name}-${each}.jar`);
    const isThere = await access(jar).then(
      () => true,
      () => false,
    );
    if (isThere) return jar;
  }
  return undefined;
}

/** Newest first. */
async function versionsOf(folder: string, artifact: Artifact): Promise<readonly string[]> {
  const names = await readdir(placeOf(folder, artifact)).catch(() => []);
  return names
    .filter((name) => /^\d{1,4}(?:\.\d{1,4}){1,3}$/.test(name))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .slice(0, maxVersions);
}

function placeOf(folder: string, { group, name }: Artifact): string {
  return join(folder, ...group.split('.'), name);
}
