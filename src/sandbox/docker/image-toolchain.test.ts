import { describe, expect, it } from 'vitest';
import { type DockerApi, DockerRequestError } from './docker-api.ts';
import { examineImage, findImage } from './image-toolchain.ts';

function anApi(answer: unknown): DockerApi {
  return {
    call: async () => {
      if (answer === null) throw new DockerRequestError('GET /images', 404, 'no such image');
      return answer;
    },
    connect: () => Promise.reject(new Error('nobody connects')),
  };
}

const image = { name: 'some:image', id: 'sha256:1', volumes: [], searchPath: ['/opt/bin'] };

describe('an image', () => {
  it('tells its search path and its volumes', async () => {
    const answer = {
      Id: 'sha256:1',
      Config: { Env: ['A=b', 'PATH=/opt/bin:relative:/bin'], Volumes: { '/data': {} } },
    };
    expect(await findImage(anApi(answer), 'some:image', 'python')).toEqual({
      name: 'some:image',
      id: 'sha256:1',
      volumes: ['/data'],
      searchPath: ['/opt/bin', '/bin'],
    });
  });

  it('is never pulled: the message says how to get it', async () => {
    const found = findImage(anApi(null), 'python:3.13-slim', 'python');
    await expect(found).rejects.toThrow('docker pull python:3.13-slim');
    await expect(found).rejects.toMatchObject({ code: 'sandbox.toolchain_missing' });
  });

  it('is asked for the program of a language and its version', async () => {
    const toolchain = await examineImage(
      'go',
      image,
      async () => '/opt/bin/go\ngo version go1.24.1\n',
    );
    expect(toolchain).toMatchObject({
      name: 'go',
      version: '1.24.1',
      program: '/opt/bin/go',
      searchPath: ['/opt/bin'],
      env: { GOPROXY: 'off' },
    });
  });

  it('that lacks the program is named with the setting to change', async () => {
    const asked = examineImage('rust', image, async () => null);
    await expect(asked).rejects.toThrow('"some:image" has no rustc');
    await expect(asked).rejects.toThrow('sandbox.docker.images.rust');
    const unknown = examineImage('cobol', image, async () => null);
    await expect(unknown).rejects.toThrow('python, node, go, rust, java, shell');
  });

  it('is asked for the modules that a name wants', async () => {
    const scripts: string[] = [];
    const asked = (has: boolean) =>
      examineImage('python:pytest,coverage', image, async (script) => {
        scripts.push(script);
        if (script.includes('import')) return has ? 'all' : null;
        return '/opt/bin/python3\nPython 3.13.1\n';
      });
    expect(await asked(true)).toMatchObject({ name: 'python:pytest,coverage', version: '3.13.1' });
    expect(scripts[1]).toContain("-c 'import pytest,coverage'");
    await expect(asked(false)).rejects.toThrow('has not all of pytest,coverage');
    const injected = examineImage("python:x';reboot", image, async () => '');
    await expect(injected).rejects.toMatchObject({ code: 'sandbox.toolchain_missing' });
  });

  it('always has a shell', async () => {
    const shell = await examineImage('shell', image, () => Promise.reject(new Error('not asked')));
    expect(shell.program).toBe('/bin/sh');
  });
});
