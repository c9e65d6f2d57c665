import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bubblewrapMissing } from '../testkit/sandbox/this-machine.ts';

const limitMs = 240_000;

describe('the example of training', () => {
  it.skipIf(bubblewrapMissing)(
    'goes from the sentence through a kill to a better model, its GGUF and a comparison',
    () => {
      const example = join(import.meta.dirname, '../examples/train-a-model.ts');
      const { status, stderr, stdout } = spawnSync(process.execPath, [example], {
        encoding: 'utf8',
        timeout: limitMs,
      });
      expect({ status, stderr }).toMatchObject({ status: 0 });
      expect(stdout).toContain('tiny-llama-finetuned is better');
    },
    limitMs,
  );
});
