import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { McpServer } from '../../../src/contract/server/index.ts';
import { silentLog, type Log } from '../../../src/kernel/index.ts';
import { aCallContext } from '../call-context.ts';
import { createStandardsServer } from '../../../src/toolbox/standards/index.ts';

export interface ServerOptions {
  readonly log?: Log;
  readonly pollMs?: number;
  readonly project?: string;
}

/** A project's folder of standards for one test, and servers over it that end with it. */
export class ProjectStandards {
  readonly base: string;
  /** The folder of overrides; does not exist until something is put into it. */
  readonly folder: string;
  readonly #servers: McpServer[] = [];

  private constructor(base: string) {
    this.base = base;
    this.folder = join(base, 'standards');
  }

  static async create(): Promise<ProjectStandards> {
    return new ProjectStandards(await mkdtemp(join(tmpdir(), 'tutti-standards-')));
  }

  async put(path: string, text: string | Uint8Array): Promise<void> {
    await mkdir(dirname(join(this.folder, path)), { recursive: true });
    await writeFile(join(this.folder, path), text);
  }

  async drop(path: string): Promise<void> {
    await rm(join(this.folder, path));
  }

  serve({
    log = silentLog,
    pollMs = 3_600_000,
    project = this.folder,
  }: ServerOptions = {}): McpServer {
    const directories = { project };
    const server = createStandardsServer({
      version: '1.0.0',
      directories,
      log,
      watch: true,
      pollMs,
    });
    this.#servers.push(server);
    return server;
  }

  async remove(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
    await rm(this.base, { recursive: true });
  }
}

export async function readText(server: McpServer, uri: string): Promise<string> {
  const { contents } = await server.readResource(uri, aCallContext());
  return contents[0]?.text ?? '';
}

/** The structured result of a tool, with `isError` and the text beside it. */
export async function callTool(
  server: McpServer,
  tool: string,
  args: object = {},
): Promise<Record<string, unknown>> {
  const { structuredContent, isError, content } = await server.callTool(tool, args, aCallContext());
  return { text: content[0]?.['text'], ...structuredContent, isError, shown: content[0]?.['text'] };
}
