import { basename } from 'node:path';
import type { AddedAgents, AgentProblem } from '../../contract/agents/index.ts';
import { AppError, reportError } from '../../kernel/index.ts';
import { checkAgent, type AgentChecks } from './check-agent.ts';
import { importAgent } from './import-agent.ts';
import { hasOwnField, readAgentFile } from './read-agent-file.ts';

export interface AddParts {
  readonly checks: AgentChecks;
  /** Puts a file into the user's folder of agents, where none of that name is yet, and gives its path. */
  readonly writeFile: (name: string, text: string) => Promise<string>;
  readonly isTaken: (name: string, version: string) => Promise<boolean>;
}

/** Checks files and puts those that are right among the user's; agents of other assistants become agents of ours first. */
export async function addAgents(
  { checks, writeFile, isTaken }: AddParts,
  files: readonly { readonly path: string; readonly text: string }[],
): Promise<AddedAgents> {
  const known = { tools: await checks.tools(), servers: await checks.servers() };
  const added: AddedAgents['added'][number][] = [];
  const problems: AgentProblem[] = [];
  const unknownTools: Record<string, readonly string[]> = {};
  for (const { path, text } of files) {
    const own = readAgentFile({ path, text, source: 'user' });
    const isForeign = own.kind === 'malformed' && !hasOwnField(text);
    const imported = isForeign ? importAgent(text, path) : undefined;
    const read = imported ? readAgentFile({ path, text: imported.text, source: 'user' }) : own;
    if (read.kind === 'malformed') {
      problems.push(...read.problems);
      continue;
    }
    const { agent, lineOf } = read;
    const { problems: wrong } = await checkAgent({ agent, lineOf, known, checks });
    if (wrong.length > 0) {
      problems.push(...wrong);
      continue;
    }
    if (await isTaken(agent.name, agent.version)) {
      const message = `There is an agent ${agent.name}@${agent.version} already: give this one another version or name`;
      problems.push({ file: path, line: lineOf(['version']), message });
      continue;
    }
    const name = imported ? `${imported.name}.md` : basename(path);
    try {
      const file = await writeFile(name, imported?.text ?? text);
      added.push({ name: agent.name, version: agent.version, file });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      problems.push({ file: path, line: 1, message: reportError(error).message });
      continue;
    }
    if (imported && imported.unknownTools.length > 0) unknownTools[path] = imported.unknownTools;
  }
  return { added, problems, unknownTools };
}
