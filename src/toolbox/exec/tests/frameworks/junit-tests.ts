import { posix } from 'node:path';
import type { TestFramework, TestRequest } from '../framework.ts';
import { TestLibraryMissingError } from '../errors.ts';
import { inProject, textOf, workFolder, type Project } from '../project.ts';
import { readSignedRecords } from '../read/read-signed-records.ts';
import type { TestReport } from '../test-report.ts';
import { findJunit, type JunitGeneration, type JunitJars } from './find-junit.ts';
import { readRunner } from './read-runner.ts';

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
