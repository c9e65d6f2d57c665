import { posix } from 'node:path';
import type { TestFramework } from '../framework.ts';
import { inProject, projectFolder, textOf, workFolder, type Project } from '../project.ts';
import { readGoEvents, textOfGoEvents, type GoSources } from '../read/read-go-events.ts';
import { readGoProfile } from '../read/read-go-profile.ts';
import { cleanOutput } from '../../clean-output.ts';

const profile = 'cover.out';
const ownModule = 'project';

/** Tests of Go modules; what they need beside the standard library must lie in `vendor/`. */
export const goTests: TestFramework = {
  plan: async ({ project, runFolder, coverage, filter, separateMs }) => {
    const hasModule = Object.hasOwn(project.files, 'go.mod');
    const moduleName = hasModule ? moduleOf(textOf(project, 'go.mod')) : ownModule;
    const argv = [
      'go',
      'test',
      '-json',
      ...(coverage ? [`-coverprofile=${workFolder}/${runFolder}/${profile}`] : []),
      ...(filter === null ? [] : ['-run', filter]),
      './...',
    ];
    return {
      toolchains: ['go'],
      program: inProject(argv),
      files: {
        ...(hasModule ? {} : { [`${projectFolder}/go.mod`]: `module ${ownModule}\n\ngo 1.18\n` }),
        [`${runFolder}/tmp/.keep`]: '',
      },
      env: {
        GOCACHE: `${workFolder}/${runFolder}/cache`,
        GOTMPDIR: `${workFolder}/${runFolder}/tmp`,
        GOPATH: `${workFolder}/${runFolder}/path`,
        GOPROXY: 'off',
        GOTOOLCHAIN: 'local',
        // All errors of the compiler, and none of its advice.
        GOFLAGS: separateMs === null ? '-buildvcs=false' : '-buildvcs=false -vet=off -gcflags=-e',
        CGO_ENABLED: '0',
      },
      stdin: '',
      mounts: [],
      needs: {
        memoryBytes: 1536 * 1024 * 1024,
        diskBytes: 768 * 1024 * 1024,
        outputBytes: 16 * 1024 * 1024,
      },
      reports: [profile],
      readReport: (result, reports) => ({
        ...readGoEvents(result.stdout, sourcesOf(project, moduleName)),
        ...readGoProfile(reports.get(profile), moduleName),
      }),
      showStdout: (stdout) => cleanOutput(new TextEncoder().encode(textOfGoEvents(stdout))),
    };
  },
};

function moduleOf(goMod: string): string {
  return /^module[ \t]{1,20}"?([^\s"]{1,300})/m.exec(goMod)?.[1] ?? ownModule;
}

/** Finds the files of tests: the events do not name them. */
function sourcesOf(project: Project, moduleName: string): GoSources {
  const places = new Map<string, string>();
  for (const path of Object.keys(project.files)) {
    if (!path.endsWith('_test.go')) continue;
    for (const [, name] of textOf(project, path).matchAll(
      /^func ((?:Test|Example|Fuzz)\w{0,200})\(/gm,
    )) {
      places.set(`${posix.dirname(path)}\n${name}`, path);
    }
  }
  return {
    fileOf: (packageName, test) => {
      const folder = packageName === moduleName ? '.' : packageName.slice(moduleName.length + 1);
      const [name = ''] = test.split('/', 1);
      return places.get(`${folder}\n${name}`) ?? '';
    },
  };
}
