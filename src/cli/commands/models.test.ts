import { describe, expect, it } from 'vitest';
import type { ModelDescription } from '../../contract/model/index.ts';
import { createFakeModels, someModels } from '../../../testkit/cli/fake-models.ts';
import { createFakeSystem } from '../../../testkit/cli/fake-system.ts';
import { runMain, type Ran } from '../../../testkit/cli/run-main.ts';

async function models(known: readonly ModelDescription[], ...words: string[]): Promise<Ran> {
  const compose = await createFakeSystem().compose();
  const openSystem: typeof compose.openSystem = async (options) => ({
    ...(await compose.openSystem(options)),
    models: createFakeModels(known),
  });
  return runMain(['models', ...words], {
    io: { compose: async () => ({ ...compose, openSystem }) },
  });
}

describe('tutti models', () => {
  it('says who is asked first for what, and what is not reachable and why', async () => {
    const { stdout, exitCode } = await models(someModels);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('agent  understands, plans and answers\n  1  ollama/qwen2.5-coder:7b');
    expect(stdout).toContain('http://127.0.0.1:11434  detected  32768 tokens');
    expect(stdout).toContain('Not reachable:\n  work/gpt: it refused the key. Set WORK_KEY');
    expect(stdout).not.toContain('Connect one');
  });

  it('says how to connect one where there is none', async () => {
    const { stdout, exitCode } = await models([]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('No language model was found.');
    expect(stdout).toContain('none: done without a model');
    expect(stdout).toContain('Connect one:');
  });

  it('gives all of it as JSON', async () => {
    expect(JSON.parse((await models(someModels, '--json')).stdout)).toEqual(someModels);
  });
});
