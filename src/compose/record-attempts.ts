import { localCaller, type Caller } from '../contract/caller/index.ts';
import type { Attempt, Experience } from '../contract/experience/index.ts';
import type { Models } from '../contract/model/index.ts';
import type { Outside } from '../fleet/index.ts';
import { reportError } from '../kernel/index.ts';

/** Where attempts are reported to. */
export interface Recording {
  readonly experience: Experience;
  readonly version: string;
}

/** What is compared beside the arguments of an attempt. */
export function surroundingsOf(version: string): Attempt['surroundings'] {
  return {
    'version tutti': version,
    'version node': process.versions.node,
    platform: `${process.platform} ${process.arch}`,
  };
}

const maxStderrLines = 20;

/** Starts of configured servers are attempts: a failed one is recorded with the end of its standard error. */
export function recordStarts(
  connect: Outside['connect'],
  { experience, version }: Recording,
): Outside['connect'] {
  return async (request) => {
    const { entry, signal } = request;
    const { command, args, url, cwd, env } = entry.settings;
    const attempt: Attempt = {
      kind: 'server',
      subject: entry.name,
      target: `server ${entry.name}`,
      // Names of variables only: values may be secrets.
      arguments: JSON.parse(JSON.stringify({ command, args, url, cwd, env: Object.keys(env) })),
      surroundings: surroundingsOf(version),
    };
    const stderr: string[] = [];
    const onStderr = (line: string): void => {
      stderr.push(line);
      if (stderr.length > maxStderrLines) stderr.shift();
      request.onStderr?.(line);
    };
    try {
      const connection = await connect({ ...request, onStderr });
      experience.succeeded(localCaller, attempt);
      return connection;
    } catch (error) {
      if (!signal.aborted) {
        const report = reportError(error);
        const message = [report.message, ...stderr].join('\n');
        experience.failed(localCaller, { ...attempt, error: { ...report, message } });
      }
      throw error;
    }
  };
}

/** Answers of models are attempts, too. */
export function recordModelCalls(models: Models, { experience, version }: Recording): Models {
  const recorded = async <Result>(
    role: string,
    { caller, signal }: { readonly caller: Caller; readonly signal: AbortSignal },
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const target = `model for ${role}`;
    const surroundings = surroundingsOf(version);
    const attempt = {
      kind: 'model',
      subject: target,
      target,
      arguments: {},
      surroundings,
    } as const;
    try {
      const result = await work();
      experience.succeeded(caller, attempt);
      return result;
    } catch (error) {
      if (!signal.aborted) experience.failed(caller, { ...attempt, error: reportError(error) });
      throw error;
    }
  };
  return Object.assign(Object.create(models), {
    text: (role, request, call) => recorded(role, call, () => models.text(role, request, call)),
    structured: (role, request, call) =>
      recorded(role, call, () => models.structured(role, request, call)),
  } satisfies Pick<Models, 'text' | 'structured'>);
}
