import { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ContainerExec, demultiplex } from './container-exec.ts';
import { type DockerApi, DockerRequestError } from './docker-api.ts';

const noAnswer = new DockerRequestError('GET /exec/1/json', null, 'connect ECONNREFUSED');
const unknown = new DockerRequestError('GET /exec/1/json', 404, 'No such exec instance');
const running = { Running: true, ExitCode: null };

/** A program whose engine answers, one after the other, with these; the last answer stays. */
async function aProgram(...answers: readonly (object | Error)[]): Promise<ContainerExec> {
  const left = [...answers];
  const socket = new Socket();
  const api: DockerApi = {
    call: async ({ method }) => {
      if (method === 'POST') return { Id: '1' };
      const answer = left.length > 1 ? left.shift() : left[0];
      if (answer instanceof Error) throw answer;
      return answer;
    },
    connect: async () => socket,
  };
  const spec = { containerId: 'c', command: ['true'], env: {}, user: '1', folder: '/' };
  const exec = await ContainerExec.start(api, spec, () => {});
  onTestFinished(() => exec.close());
  return exec;
}

describe('the end of a program in a container', () => {
  it('is what the engine says of it, though it was silent for a moment', async () => {
    const exec = await aProgram(running, noAnswer, running, { Running: false, ExitCode: 3 });
    expect(await exec.exited).toEqual({ exitCode: 3, signal: null });
    expect(exec.isRunning).toBe(false);
  });

  it('is not seen before its start, which comes after its streams are open', async () => {
    const created = { Running: false, ExitCode: null };
    const exec = await aProgram(created, created, running, { Running: false, ExitCode: 0 });
    expect(await exec.exited).toEqual({ exitCode: 0, signal: null });
  });

  it('is a kill when it was never started and its container was killed', async () => {
    const exec = await aProgram({ Running: false, ExitCode: null });
    exec.expectEnd();
    expect(await exec.exited).toEqual({ exitCode: 137, signal: null });
  });

  it('is a kill when its container is gone', async () => {
    const exec = await aProgram(running, unknown);
    expect(await exec.exited).toEqual({ exitCode: 137, signal: null });
  });

  it('is nothing anybody knows when the engine was started anew', async () => {
    const exec = await aProgram(running, noAnswer, unknown);
    await expect(exec.exited).rejects.toMatchObject({
      code: 'sandbox.docker_request_failed',
      message: expect.stringContaining('started anew while the program ran'),
    });
  });

  it('is nothing anybody knows when the engine stays away, unless we killed it', async () => {
    const left = await aProgram(running, noAnswer);
    await expect(left.exited).rejects.toThrow('ECONNREFUSED');
    const killed = await aProgram(running, noAnswer);
    killed.expectEnd();
    expect(await killed.exited).toEqual({ exitCode: 137, signal: null });
  });
});

function frame(stream: number, text: string): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

const frames = Buffer.concat([frame(1, 'one'), frame(2, 'two'), frame(1, ''), frame(1, 'three')]);

describe('the stream of a container', () => {
  it.each([1, 2, 3, 7, 8, 9, 1000])('is taken apart when it comes %i bytes at a time', (step) => {
    const seen = { stdout: '', stderr: '' };
    const take = demultiplex((stream, bytes) => {
      seen[stream] += Buffer.from(bytes).toString();
    });
    for (let at = 0; at < frames.length; at += step) take(frames.subarray(at, at + step));
    expect(seen).toEqual({ stdout: 'onethree', stderr: 'two' });
  });

  it('is passed on before a frame is complete', () => {
    const seen: string[] = [];
    const take = demultiplex((_stream, bytes) => seen.push(Buffer.from(bytes).toString()));
    take(frame(1, 'half of it').subarray(0, 12));
    expect(seen).toEqual(['half']);
  });
});
