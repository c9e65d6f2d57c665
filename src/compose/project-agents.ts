import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentFile } from '../agents/index.ts';
import { grantTrust, isTrustedAs, readTrust, type Settings } from '../config/index.ts';
import type { AgentSource } from '../contract/agents/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import type { Plan } from '../contract/plan/index.ts';
import type { RunSummary } from '../contract/run/index.ts';
import { readRegularFile } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import { recordChange } from './audit.ts';
import { AgentFileExistsError } from './errors.ts';
import type { WorkflowsHere } from './workflow.ts';

const maxFileBytes = 200_000;
const maxFiles = 200;

/** Agents that a project brings along; they count once the user trusts them as they are. */
export interface ProjectAgents {
  readonly folder: string;
  readonly files: readonly AgentFile[];
  readonly digest: string;
  readonly isTrusted: boolean;
}

export async function projectAgents(home: string, cwd: string): Promise<ProjectAgents | undefined> {
  const folder = join(cwd, '.tutti', 'agents');
  const files = await readAgentFolder('project', folder);
  if (files.length === 0) return undefined;
  const texts = files.map(({ path, text }) => [path, text]);
  const digest = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
  const isTrusted = isTrustedAs({ file: folder, digest }, await readTrust(home));
  return { folder, files, digest, isTrusted };
}

/** The agent files of a folder, by name; one that cannot be read is empty, and reported as such. */
export async function readAgentFolder(source: AgentSource, folder: string): Promise<AgentFile[]> {
  const found = await readdir(folder).catch(() => []);
  const names = found.filter((name) => name.endsWith('.md')).sort();
  return Promise.all(
    names.slice(0, maxFiles).map(async (name) => {
      const path = join(folder, name);
      const limits = { maxBytes: maxFileBytes, inside: [folder] };
      const text = await readRegularFile(path, limits).then(String, () => '');
      return { path, text, source };
    }),
  );
}

/** Writes a file where none of that name is yet: what is there is the user's. */
export async function writeAgentFile(
  folder: string,
  { name, text }: { readonly name: string; readonly text: string },
): Promise<string> {
  const path = join(folder, name);
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if (Object(error).code === 'EEXIST') throw new AgentFileExistsError(path);
    throw error;
  }
  return path;
}

const maxPastRuns = 200;

/** The latest runs with their plans. */
export async function pastRuns(
  {
    store,
    runs,
  }: {
    readonly store: Pick<Store, 'runs'>;
    readonly runs: Pick<WorkflowsHere, 'workflows'>;
  },
  caller: Caller,
): Promise<readonly { readonly summary: RunSummary; readonly plan: Plan }[]> {
  const listed = await runs.workflows.list(caller, { limit: maxPastRuns });
  const found: { summary: RunSummary; plan: Plan }[] = [];
  for (const summary of listed) {
    const record = await store.runs.find(caller, summary.runId);
    if (record) found.push({ summary, plan: record.plan });
  }
  return found;
}

/** Trusts what a project claims, in its present state. */
export async function trustAll(
  values: Settings,
  claims: readonly { readonly file: string; readonly digest: string }[],
): Promise<void> {
  const trustedAt = new Date().toISOString();
  for (const { file, digest } of claims) {
    await recordChange(values, `trust ${file} ${digest}`);
    await grantTrust(values.home, { file, digest, trustedAt });
  }
}
