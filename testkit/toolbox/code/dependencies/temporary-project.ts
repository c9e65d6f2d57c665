import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { aCallContext } from '../../call-context.ts';
import { aCodeContext } from '../../code-context.ts';
import {
  analyzeDependenciesTool,
  type DependencyReport,
} from '../../../../src/toolbox/code/dependencies/analyze-dependencies-tool.ts';

/** A folder of its own for one test, analysed by the real tool. */
export class TemporaryProject {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<TemporaryProject> {
    return new TemporaryProject(await mkdtemp(join(tmpdir(), 'tutti-graph-')));
  }

  async put(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), text);
    }
  }

  async analyze(args: object = {}): Promise<DependencyReport> {
    const tool = analyzeDependenciesTool(aCodeContext([this.folder]));
    const result = await tool.call({ path: '.', ...args }, aCallContext());
    return result.structuredContent as unknown as DependencyReport;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}

/** `from:line > to`, sorted; another kind than `import` stands in place of the sign. */
export function edgesOf(report: DependencyReport): string[] {
  return report.edges
    .map(({ from, line, to, kind }) => `${from}:${line} ${kind === 'import' ? '>' : kind} ${to}`)
    .sort();
}

export function externalsOf(report: DependencyReport): string[] {
  return report.external_dependencies
    .map(({ name, standard_library: isStandard }) => (isStandard ? `${name} (standard)` : name))
    .sort();
}
