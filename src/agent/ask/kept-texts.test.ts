import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { NewArtifact } from '../../contract/artifact/index.ts';
import { ScriptedModelError } from '../../../testkit/agent/scripted-models.ts';
import { keepTexts, loadText } from './kept-texts.ts';

function someArtifacts() {
  const kept: NewArtifact[] = [];
  const artifacts = async () => ({
    put: async (_caller: object, artifact: NewArtifact) => {
      kept.push(artifact);
      return { id: `sha256:${kept.length - 1}`, bytes: 1, mediaType: artifact.mediaType };
    },
    get: async (_caller: object, id: string) => {
      const found = kept[Number(id.split(':')[1])];
      if (!found) throw new ScriptedModelError('artifacts.not_found');
      return Buffer.from(found.content);
    },
  });
  return { kept, parts: { artifacts } };
}

const long = 'x'.repeat(20_000);

describe('texts of a conversation', () => {
  it('stay in it when they are short and become artifacts of their run when they are long', async () => {
    const { kept, parts } = someArtifacts();
    const about = { parts, caller: localCaller, origin: 's-1' };
    const items = [
      { kind: 'code', title: 'short', content: 'x' },
      { kind: 'code', title: 'long', content: long, runId: 'run-1', step: 'code' },
      { kind: 'file', title: 'given', content: long },
    ] as const;
    const remembered = await keepTexts(items, about);
    expect(remembered).toEqual([
      items[0],
      { kind: 'code', title: 'long', runId: 'run-1', step: 'code', artifact: 'sha256:0' },
      { kind: 'file', title: 'given', artifact: 'sha256:1' },
    ]);
    expect(kept.map(({ lineage }) => `${lineage.runId}/${lineage.step}`)).toEqual([
      'run-1/code',
      's-1/attachment',
    ]);
    const loaded = await Promise.all(remembered.map((item) => loadText(item, about)));
    expect(loaded).toEqual(['x', long, long]);
  });

  it('are missing where their artifact is gone', async () => {
    const { parts } = someArtifacts();
    const item = { kind: 'code', title: 'gone', artifact: 'sha256:9' } as const;
    expect(await loadText(item, { parts, caller: localCaller })).toBeUndefined();
  });
});
