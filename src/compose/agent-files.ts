import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentFile } from '../agents/index.ts';
import type { Settings } from '../config/index.ts';
import type { AgentDefinition } from '../contract/agents/index.ts';
import { ownFile, pluralize, userFolder } from '../kernel/index.ts';
import type { KnownAgent } from '../workflow/check/index.ts';
import { projectAgents, readAgentFolder } from './project-agents.ts';
import { surroundingsOf, type SettingsRequest } from './settings.ts';

interface AgentFolders {
  readonly request: SettingsRequest;
  readonly settings: Pick<Settings, 'home'>;
}

/** Files of agents: ours, the user's, and the project's once it is trusted as it is. */
export async function agentFiles({
  request,
  settings,
}: AgentFolders): Promise<{ files: AgentFile[]; notes: string[] }> {
  const shipped = await readAgentFolder('shipped', fileURLToPath(ownFile('agents/shipped/')));
  const own = await readAgentFolder('user', userAgentsFolder(request));
  const project = await projectAgents(settings.home, request.cwd);
  const files = [...shipped, ...own];
  if (!project) return { files, notes: [] };
  if (project.isTrusted) return { files: [...files, ...project.files], notes: [] };
  const note = `${pluralize(project.files.length, 'agent file')} of ${project.folder} not used before "tutti trust"`;
  return { files, notes: [note] };
}

export function userAgentsFolder(request: SettingsRequest): string {
  return join(userFolder(surroundingsOf(request), 'config'), 'agents');
}

/** The agents that plans may name, as their files say; whether all they need is there is seen when they are asked. */
export async function knownAgents(folders: AgentFolders): Promise<readonly KnownAgent[]> {
  const { readAgentFile } = await import('../agents/index.ts');
  const { files } = await agentFiles(folders);
  return files.flatMap((file) => {
    const read = readAgentFile(file);
    return read.kind === 'read' ? [knownAgent(read.agent)] : [];
  });
}

function knownAgent({ name, version, capabilities, procedures }: AgentDefinition): KnownAgent {
  const inputs = Object.entries(procedures).map(([capability, { plan }]) => {
    const declared = Object.entries(plan.input ?? {}).map(([input, schema]) => {
      const isRequired = schema['default'] === undefined && !filledIn.includes(input);
      return [input, { isRequired }] as const;
    });
    return [capability, new Map(declared)] as const;
  });
  return { name, version, capabilities, inputs: new Map(inputs) };
}

/** Every procedure gets these of its task. */
const filledIn: readonly string[] = ['task', 'context'];
