import type { SandboxMount, SandboxProgram } from '../../../contract/sandbox/index.ts';

/** A project whose tests are to run, as it will lie in the work folder. */
export interface Project {
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Installed dependencies that stay where they are and are shown read-only. */
  readonly dependencies: ProjectDependencies;
  /** What was left out, in sentences. */
  readonly notes: readonly string[];
}

export interface ProjectDependencies {
  /** The folder `node_modules` that Node finds for the project. */
  readonly nodeModules: string | undefined;
  /** `site-packages` of the project's virtual environment. */
  readonly sitePackages: string | undefined;
}

export const noDependencies: ProjectDependencies = {
  nodeModules: undefined,
  sitePackages: undefined,
};

export const workFolder = '/work';

/** Where the project lies in the work folder: beside our own files and the caches of tools, not around them. */
export const projectFolder = 'project';

export const projectRoot = `${workFolder}/${projectFolder}`;

/** Above the project, where Node looks as well: so the project can have one of its own that is writable. */
export const nodeModulesFolder = `${workFolder}/node_modules`;

export function nodeModulesMount(project: Project): readonly SandboxMount[] {
  const { nodeModules } = project.dependencies;
  return nodeModules === undefined ? [] : [{ source: nodeModules, target: nodeModulesFolder }];
}

/** A command that runs in the project's folder. */
export function inProject(argv: readonly string[]): SandboxProgram {
  return {
    kind: 'command',
    argv: ['sh', '-c', `cd ${projectFolder} && exec "$@"`, 'sh', ...argv],
  };
}

/** The text of a file; empty for one that is not there or no text. */
export function textOf(project: Pick<Project, 'files'>, path: string): string {
  const content = Object.hasOwn(project.files, path) ? project.files[path] : undefined;
  if (content === undefined) return '';
  return typeof content === 'string' ? content : decoder.decode(content.subarray(0, maxTextBytes));
}

const decoder = new TextDecoder();
const maxTextBytes = 256 * 1024;
