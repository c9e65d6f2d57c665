import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { aCallContext } from '../../../testkit/toolbox/call-context.ts';
import {
  aWorkflowServer,
  ended,
  plan,
  structuredOf,
} from '../../../testkit/toolbox/workflow/a-workflow-server.ts';
import { aStep } from '../../../testkit/toolbox/workflow/fake-workflows.ts';

const stranger = { id: 'stranger' };

describe('big outputs', () => {
  it('come as an artifact of the run with a preview, which read_artifact reads page by page', async () => {
    const { server, workflows, artifacts } = aWorkflowServer();
    await server.callTool('run_plan', { plan, wait: false }, aCallContext());
    const big = 'y'.repeat(50_000);
    workflows.change('run-1', { ...ended, steps: { a: aStep('succeeded', { output: big }) } });
    const run = await server.callTool('get_run', { run_id: 'run-1' }, aCallContext());
    const [resource] = await server.listResources();
    const id = `sha256:${resource?.uri.split('/').at(-1)}`;
    expect(run.structuredContent).toMatchObject({
      steps: { a: { stored: { id, bytes: 50_000, preview: 'y'.repeat(500) } } },
    });
    expect(run.content[0]?.['text']).toContain(`output of a: 50000 bytes, read_artifact ${id}`);
    expect(await artifacts.describe(localCaller, id)).toMatchObject({
      lineage: [{ runId: 'run-1', step: 'a' }],
    });
    let text = '';
    for (let offset: unknown = 0; offset !== null;) {
      const args = { id, offset, max_bytes: 20_000 };
      const page = await server.callTool('read_artifact', args, aCallContext());
      text += String(page.structuredContent?.['text']);
      offset = page.structuredContent?.['nextOffset'];
      const rest = offset === null ? '' : `go on with offset ${Number(offset)}`;
      expect(page.content[0]?.['text']).toContain(rest);
    }
    expect(text).toBe(big);
  });

  it('are bounded together, and so are the steps of one answer', async () => {
    const { server, workflows } = aWorkflowServer();
    await server.callTool('run_plan', { plan, wait: false }, aCallContext());
    const steps = Array.from({ length: 450 }, (_, n) => [
      `s${n}`,
      aStep('succeeded', { output: 'z'.repeat(10_000) }),
    ]);
    const output = ['o'.repeat(19_998)];
    workflows.change('run-1', { ...ended, steps: Object.fromEntries(steps), output });
    const first = await server.callTool('get_run', { run_id: 'run-1' }, aCallContext());
    expect(first.structuredContent).toMatchObject({
      totalSteps: 450,
      doneSteps: 450,
      nextOffset: 200,
      stored: { bytes: 20_002, mediaType: 'application/json' },
      steps: { s5: { output: 'z'.repeat(10_000) }, s6: { stored: { bytes: 10_000 } } },
    });
    expect(JSON.stringify(first.structuredContent).length).toBeLessThan(300_000);
    const args = { run_id: 'run-1', offset: 400 };
    const last = await structuredOf(server.callTool('get_run', args, aCallContext()));
    expect(last).toMatchObject({ steps: { s400: {}, s449: {} } });
    expect(last).not.toHaveProperty('nextOffset');
  });

  it('can be read as resources, whole or their beginning, by their caller alone', async () => {
    const { server, artifacts } = aWorkflowServer();
    const lineage = { runId: 'r', step: 's', tool: 'a.b', argumentsDigest: null, inputs: [] };
    const small = { content: 'hi', mediaType: 'text/plain', lineage };
    const { id } = await artifacts.put(localCaller, small);
    const large = { content: Buffer.alloc(2_000_000), mediaType: 'image/png', lineage };
    const binary = await artifacts.put(localCaller, large);
    const [resource] = await server.listResources();
    expect(resource).toEqual({
      uri: `artifact://sha256/${id.slice(7)}`,
      name: 's of run r',
      title: 's of run r',
      description: 'Made by a.b',
      mimeType: 'text/plain',
      size: 2,
    });
    expect(() => new URL(resource?.uri ?? '')).not.toThrow();
    const read = (uri: string, caller = localCaller) =>
      server.readResource(uri, aCallContext({ caller }));
    for (const uri of [resource?.uri ?? '', `artifact://${id}`]) {
      expect(await read(uri)).toEqual({ contents: [{ uri, mimeType: 'text/plain', text: 'hi' }] });
    }
    expect(await read(`artifact://${binary.id}`)).toMatchObject({
      contents: [{ mimeType: 'image/png', blob: expect.any(String) }],
      _meta: { 'tutti/artifact': { id: binary.id, bytes: 2_000_000, nextOffset: 1_048_576 } },
    });
    await expect(read(`artifact://${id}`, stranger)).rejects.toMatchObject({
      code: 'artifacts.not_found',
    });
    await expect(read('artifact://sha256/../x')).rejects.toMatchObject({
      code: 'toolbox.not_found',
    });
    expect(await server.listResourceTemplates()).toMatchObject([
      { uriTemplate: 'artifact://sha256/{digest}' },
    ]);
    const args = { id: binary.id, max_bytes: 3 };
    const page = await server.callTool('read_artifact', args, aCallContext());
    expect(page.content[0]?.['text']).toBe(
      '[base64 from 0]\nAAAA\n[2000000 bytes in all; go on with offset 3]',
    );
  });

  it('are announced when a run that was waited for has ended', async () => {
    const { server, workflows } = aWorkflowServer();
    const changes: unknown[] = [];
    const stop = server.onChange((change) => changes.push(change));
    const call = server.callTool('run_plan', { plan }, aCallContext());
    await workflows.untilFollowed();
    expect(changes).toEqual([]);
    workflows.change('run-1', ended);
    await call;
    expect(changes).toEqual([{ kind: 'resources' }]);
    stop();
  });
});
