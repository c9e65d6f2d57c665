import { createGeneration } from '../../src/agent/generate/index.ts';
import { localCaller } from '../../src/contract/caller/index.ts';
import type { Generation } from '../../src/contract/generation/index.ts';
import type { Models, StructuredRequest } from '../../src/contract/model/index.ts';
import type { CallContext, McpServer } from '../../src/contract/server/index.ts';
import { systemTimers } from '../../src/kernel/index.ts';
import { checkTypes, createThreadedCodeServer, SyntaxTrees } from '../../src/toolbox/code/index.ts';
import { openSandboxedExec } from './sandboxed-tests.ts';

/** What a scripted model answers, in order; the last one again and again. */
export type Script = readonly object[];

export interface VerifiedGeneration {
  /** Generation with a model that says what stands in the script, and everything else real. */
  withModel(script: Script, options?: { readonly maxRepairs?: number }): Generation & Asked;
  hasToolchain(name: string): Promise<boolean>;
  close(): Promise<void>;
}

interface Asked {
  /** What the model was asked, one text per question. */
  readonly asked: string[];
}

export function aGenerationCall(): CallContext {
  return {
    caller: localCaller,
    signal: new AbortController().signal,
    progress: () => {},
    meta: {},
  };
}

/** The checks over a real sandbox and the real code tools. */
export function openVerifiedGeneration(suiteWallMs = 20_000): VerifiedGeneration {
  const exec = openSandboxedExec([]);
  const code = createThreadedCodeServer({
    version: '1',
    roots: [],
    standardsDirectory: undefined,
    settings: {
      exclude: [],
      lineLength: 100,
      maxIssues: 50,
      severityLevels: ['critical', 'major', 'minor', 'info'],
      osvUrl: '',
      osvDirectory: undefined,
    },
  });
  const servers: Readonly<Record<string, McpServer>> = { code, exec: exec.server };
  return {
    withModel: (script, { maxRepairs = 0 } = {}) => {
      const asked: string[] = [];
      const generation = createGeneration({
        models: scriptedModels(script, asked),
        parser: new SyntaxTrees(),
        tools: { call: (name, args, context) => callByName(servers, { name, args }, context) },
        limits: { maxNewTokens: 2_048, stopSequences: [] },
        maxRepairs,
        suiteWallMs,
        types: { check: (text, signal) => checkTypes(text, [import.meta.dirname], signal) },
        scaffolds: undefined,
        timers: systemTimers,
      });
      return { ...generation, asked };
    },
    hasToolchain: (name) =>
      exec.sandbox.toolchain(name).then(
        () => true,
        () => false,
      ),
    close: async () => {
      await Promise.all([code.close(), exec.close()]);
    },
  };
}

function callByName(
  servers: Readonly<Record<string, McpServer>>,
  { name, args }: { readonly name: string; readonly args: object },
  context: CallContext,
): ReturnType<McpServer['callTool']> {
  const [serverName = '', tool = ''] = name.split('.');
  const server = servers[serverName];
  if (!server) throw new Error(`there is no server ${serverName}`);
  return server.callTool(tool, args, context);
}

/** A model that has its answers ready. */
export function scriptedModels(
  script: Script,
  asked: string[] = [],
): Pick<Models, 'find' | 'structured'> {
  let next = 0;
  return {
    find: async () => ({
      name: 'scripted',
      provider: 'openai',
      model: 'scripted',
      url: null,
      source: 'configured',
      roles: { code: 1 },
      contextTokens: null,
      isReachable: true,
    }),
    structured: async <Value>(_role: string, request: StructuredRequest<Value>) => {
      asked.push(request.messages.map(({ content }) => content).join('\n'));
      const answer = script[Math.min(next, script.length - 1)];
      next += 1;
      const usage = { inputTokens: 1, outputTokens: 1, isEstimated: true, costUsd: null };
      return { value: request.schema.parse(answer), model: 'scripted', usage, attempts: 1 };
    },
  };
}
