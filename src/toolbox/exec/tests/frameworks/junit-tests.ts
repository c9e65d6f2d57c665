import { join, posix } from 'node:path';
import { access, readdir } from 'node:fs/promises';
import { readRunner, type TestFramework, type TestRequest } from '../framework.ts';
import { TestLibraryMissingError } from '../../errors.ts';
import { inProject, type Project, textOf, workFolder } from '../project.ts';
import { readSignedRecords } from '../read-signed-records.ts';
import type { TestReport } from '../report.ts';

const report = 'report.jsonl';
const jarFolder = '/opt/jars';

/** Tests of JUnit 5, or of JUnit 4 and 3, compiled with the JDK's compiler; no build tool takes part. */
export const junitTests: TestFramework = {
  plan: async (request) => {
    const { project, runFolder, key, coverage } = request;
    const generation = generationOf(project);
    const jars = await findJunit(generation, project, request.javaLibraries);
    if (!jars) throw new TestLibraryMissingError(...missing[generation]);
    const runner = generation === 4 ? 'RunJunit4' : 'RunJunit5';
    return {
      toolchains: ['java'],
      program: inProject(['sh', '-c', buildAndRun, 'sh', ...wordsOf(request, jars)]),
      files: {
        [`${runFolder}/runner/RecordTests.java`]: await readRunner('RecordTests.java'),
        [`${runFolder}/runner/${runner}.java`]: await readRunner(`${runner}.java`),
        [`${runFolder}/sources`]: sourcesOf(project).join('\n'),
        [`${runFolder}/classes/.keep`]: '',
      },
      env: { MAIN_CLASS: `tutti.tests.${runner}` },
      stdin: orderFor(request),
      mounts: jars.outside.map((source) => ({
        source,
        target: `${jarFolder}/${posix.basename(source)}`,
      })),
      needs: { memoryBytes: 1024 * 1024 * 1024, diskBytes: 256 * 1024 * 1024 },
      reports: [report],
      readReport: (_result, reports) => ({
        ...withFiles(readSignedRecords(reports.get(report), key), project),
        ...(coverage && { coverageNote: 'not measured: there is no coverage for Java here' }),
      }),
    };
  },
};

/** Compiles the project apart from our runner, so that neither sees mistakes of the other. */
const buildAndRun = `folder=$1; path=$2
javac -J-Xmx512m -encoding UTF-8 -nowarn -d "$folder/classes" -cp "$path" "@$folder/sources" || exit
javac -J-Xmx512m -nowarn -d "$folder/runner" -cp "$path" "$folder"/runner/*.java || exit
exec java -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$folder/classes:$folder/runner:$path" "$MAIN_CLASS"
`;

const missing: Readonly<Record<JunitGeneration, readonly [string, string]>> = {
  both: [
    'JUnit 5 with its vintage engine and JUnit 4 were found neither in the project nor on this machine',
    'Put junit-platform-console-standalone.jar and junit-4.13.2.jar into the folder lib/ of the project, or install them: apt install junit5 junit4',
  ],
  4: [
    'JUnit 4 was found neither in the project nor on this machine',
    'Put junit-4.13.2.jar and hamcrest-core-1.3.jar into the folder lib/ of the project, or install them: apt install junit4',
  ],
  5: [
    'JUnit 5 was found neither in the project nor on this machine',
    'Put junit-platform-console-standalone.jar into the folder lib/ of the project, or install it: apt install junit5',
  ],
};

function generationOf(project: Project): JunitGeneration {
  const sources = Object.keys(project.files).filter((path) => path.endsWith('.java'));
  const uses = (pattern: RegExp): boolean =>
    sources.some((path) => pattern.test(textOf(project, path)));
  if (!uses(/\borg\.junit\.jupiter\b/)) return 4;
  return uses(/\borg\.junit\.(?!jupiter\b|platform\b)|\bjunit\.framework\b/) ? 'both' : 5;
}

function wordsOf({ project, runFolder }: TestRequest, jars: JunitJars): string[] {
  const resources = ['src/main/resources', 'src/test/resources'].filter((folder) =>
    Object.keys(project.files).some((path) => path.startsWith(`${folder}/`)),
  );
  const classPath = [
    ...resources,
    ...jars.own,
    ...jars.outside.map((jar) => `${jarFolder}/${posix.basename(jar)}`),
  ];
  return [`${workFolder}/${runFolder}`, classPath.join(':')];
}

/** Quoted as the compiler reads files of arguments. */
function sourcesOf(project: Project): readonly string[] {
  return Object.keys(project.files)
    .filter(
      (path) => path.endsWith('.java') && !/(?:^|\/)(?:module|package)-info\.java$/.test(path),
    )
    .map((path) => `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
}

function orderFor({ runFolder, key, filter }: TestRequest): string {
  const lines = [
    `key=${key}`,
    `report=${workFolder}/${runFolder}/${report}`,
    `classes=${workFolder}/${runFolder}/classes`,
    `filter=${(filter ?? '').replaceAll(/[\r\n]/g, ' ')}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** A test is named after its class, and a class after its file. */
function withFiles(found: TestReport, project: Project): TestReport {
  const byClass = new Map<string, string>();
  for (const path of Object.keys(project.files)) {
    if (!path.endsWith('.java')) continue;
    const [, name] =
      /^\s{0,20}package\s{1,20}([\w.]{1,300})\s{0,20};/m.exec(textOf(project, path)) ?? [];
    const own = posix.basename(path, '.java');
    byClass.set(name === undefined ? own : `${name}.${own}`, path);
  }
  return {
    ...found,
    tests: found.tests.map((test) => {
      const [className = ''] = test.name.split(/[ $]/, 1);
      const file = byClass.get(className) ?? byClass.get(className.replace(/\.[^.]*$/, '')) ?? '';
      return { ...test, file };
    }),
  };
}

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
  readonly group: string;
  readonly name: string;
  readonly isOptional: boolean;
}

/** Maven coordinates; the version of the first one decides about the others. A question mark: works without. */
const junit4 = ['junit:junit', 'org.hamcrest:hamcrest-core'];
const junit5 = [
  'org.junit.platform:junit-platform-launcher',
  'org.junit.platform:junit-platform-engine',
  'org.junit.platform:junit-platform-commons',
  'org.junit.jupiter:junit-jupiter-api',
  'org.junit.jupiter:junit-jupiter-engine',
  'org.junit.jupiter:junit-jupiter-params?',
  'org.opentest4j:opentest4j',
  'org.apiguardian:apiguardian-api?',
];

const artifacts: Readonly<Record<JunitGeneration, readonly Artifact[]>> = {
  4: junit4.map(parseArtifact),
  5: junit5.map(parseArtifact),
  both: [...junit5, ...junit4, 'org.junit.vintage:junit-vintage-engine'].map(parseArtifact),
};

function parseArtifact(coordinates: string): Artifact {
  const [group = '', name = ''] = coordinates.split(':');
  return { group, name: name.replace('?', ''), isOptional: name.endsWith('?') };
}

/** File names where a distribution keeps jars without versions. */
function plainNames({ name }: Artifact): readonly string[] {
  if (name === 'junit') return ['junit4.jar', 'junit.jar'];
  return name === 'hamcrest-core' ? ['hamcrest-core.jar', 'hamcrest.jar'] : [`${name}.jar`];
}

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
  for (const artifact of artifacts[generation]) {
    const name = plainNames(artifact).find((each) => names.has(each));
    if (name !== undefined) found.push(join(folder, name));
    else if (!artifact.isOptional) return undefined;
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
      ({ isOptional }, index) => isOptional || jars[index] !== undefined,
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
    const jar = join(artifactFolder(folder, artifact), each, `${artifact.name}-${each}.jar`);
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
  const names = await readdir(artifactFolder(folder, artifact)).catch(() => []);
  return names
    .filter((name) => /^\d{1,4}(?:\.\d{1,4}){1,3}$/.test(name))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .slice(0, maxVersions);
}

function artifactFolder(folder: string, { group, name }: Artifact): string {
  return join(folder, ...group.split('.'), name);
}
