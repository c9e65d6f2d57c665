/**
 * Tools that call whatever they are told to, decide for a person or change what Tutti is: no agent gets them, whatever
 * its file says. An agent reaches other agents by `agent.delegate` alone.
 */
const neverOfAgents: ReadonlySet<string> = new Set([
  'admin.call_tool',
  'admin.cancel_task',
  'agent.ask',
  'agent.create_context',
  'workflow.run_plan',
  'memory.forget',
  'memory.update',
  'debug.record_outcome',
]);

export function isForAgents(tool: string): boolean {
  return !neverOfAgents.has(tool);
}

/** The tools of a list that a glob such as `code.scan_*` names. */
export function toolsOf(glob: string, tools: Iterable<string>): readonly string[] {
  const pattern = new RegExp(
    `^${glob
      .split('*')
      .map((part) => part.replaceAll(/[.\\-]/g, '\\$&'))
      .join('.*')}$`,
  );
  return [...tools].filter((tool) => pattern.test(tool));
}

/** What an agent may call of the tools there are. */
export function allowedTools(
  globs: readonly string[],
  tools: readonly string[],
): readonly string[] {
  const named = new Set(globs.flatMap((glob) => toolsOf(glob, tools)));
  return [...named].filter(isForAgents).sort();
}
