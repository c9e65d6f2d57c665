import { readFile } from 'node:fs/promises';
import type {
  SandboxLimits,
  SandboxMount,
  SandboxProgram,
  SandboxResult,
} from '../../../contract/sandbox/index.ts';
import type { Project } from './project.ts';
import type { TestReport } from './report.ts';
import { ownFile } from '../../../kernel/index.ts';

export const frameworkNames = [
  'pytest',
  'unittest',
  'node',
  'vitest',
  'go',
  'cargo',
  'junit',
] as const;

export type FrameworkName = (typeof frameworkNames)[number];

export interface TestRequest {
  readonly project: Project;
  readonly coverage: boolean;
  /** Which tests to run, as the framework takes it; null means all. */
  readonly filter: string | null;
  /** What each folder at the top may take as a project of its own; null: they are one project. */
  readonly separateMs: number | null;
  /** A folder of the work folder for our own files and the reports; its name is new for each run. */
  readonly runFolder: string;
  /** Signs the records of our own runners; new for each run, in hexadecimal. */
  readonly key: string;
  /** Where Java libraries of others are looked for. */
  readonly javaLibraries: readonly string[];
}

/** How the tests of a project are started and what they tell is read. */
export interface TestPlan {
  /** The first of them that is here is used. */
  readonly toolchains: readonly string[];
  readonly program: SandboxProgram;
  /** In the work folder, besides the project's own. */
  readonly files: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly mounts: readonly SandboxMount[];
  /** What such tests need at least, when the caller names nothing. */
  readonly needs: Partial<SandboxLimits>;
  /** Files of the run folder to bring back. */
  readonly reports: readonly string[];
  readReport(result: SandboxResult, reports: ReadonlyMap<string, Uint8Array>): TestReport;
  /** The text for people, where standard output is the report itself. */
  readonly showStdout?: (stdout: Uint8Array) => string;
}

export interface TestFramework {
  /** Throws `exec.…` when something is missing that no sandbox can give. */
  plan(request: TestRequest): Promise<TestPlan>;
}

/** The text of a test runner of ours. */
export function readRunner(name: string): Promise<string> {
  return readFile(ownFile(`toolbox/exec/tests/runners/${name}`), 'utf8');
}

/** What a compiler and the tests of a package need at least. */
export const compilerNeeds: Partial<SandboxLimits> = {
  memoryBytes: 1536 * 1024 * 1024,
  diskBytes: 768 * 1024 * 1024,
  outputBytes: 16 * 1024 * 1024,
};
