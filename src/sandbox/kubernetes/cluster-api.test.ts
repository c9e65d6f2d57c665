import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findClusterAccess, type AccessOptions, type ClusterAccess } from './cluster-api.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cluster-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function access(config: string, options: Partial<AccessOptions> = {}): Promise<ClusterAccess> {
  const path = join(folder, 'config');
  writeFileSync(path, config);
  return findClusterAccess({
    env: { KUBECONFIG: path, PATH: process.env['PATH'] },
    homeDirectory: folder,
    ...options,
  });
}

const config = (user: string): string => `
current-context: here
contexts:
  - { name: here, context: { cluster: one, user: me, namespace: team } }
  - { name: there, context: { cluster: two } }
clusters:
  - { name: one, cluster: { server: 'https://one.example:6443', certificate-authority-data: ${base64('CA')} } }
  - { name: two, cluster: { server: 'http://two.example', insecure-skip-tls-verify: true } }
users:
  - { name: me, user: ${user} }
`;

describe('how to reach a cluster', () => {
  it('is read from the current context', async () => {
    expect(await access(config('{ token: abc }'))).toEqual({
      server: 'https://one.example:6443',
      namespace: 'team',
      ca: Buffer.from('CA'),
      token: 'abc',
      certificate: undefined,
      skipsVerification: false,
    });
  });

  it('is read from a context and namespace that are asked for', async () => {
    const wanted = { context: 'there', namespace: 'mine' };
    expect(await access(config('{ token: abc }'), wanted)).toMatchObject({
      server: 'http://two.example',
      namespace: 'mine',
      token: undefined,
      skipsVerification: true,
    });
  });

  it('takes certificates as data and as files beside the configuration', async () => {
    writeFileSync(join(folder, 'me.key'), 'KEY');
    const user = `{ client-certificate-data: ${base64('CERT')}, client-key: me.key }`;
    expect(await access(config(user))).toMatchObject({
      certificate: { cert: Buffer.from('CERT'), key: Buffer.from('KEY') },
    });
  });

  it('takes a token from a file, and from a program that makes one', async () => {
    writeFileSync(join(folder, 'token'), 'from-file\n');
    expect(await access(config('{ tokenFile: token }'))).toMatchObject({ token: 'from-file' });
    const said = JSON.stringify({ status: { token: 'made' } });
    const user = `{ exec: { command: printf, args: ['%s', '${said}'] } }`;
    expect(await access(config(user))).toMatchObject({ token: 'made' });
  });

  it.each([
    ['a context that is not there', config('{}'), { context: 'nowhere' }, 'no context "nowhere"'],
    ['no YAML', ': : :', {}, 'kubeconfig'],
    ['no such file', '', { kubeconfig: '/nonexistent/config' }, 'ENOENT'],
  ])('fails clearly for %s', async (_, text, options, words) => {
    await expect(access(text, options)).rejects.toMatchObject({
      code: 'sandbox.cluster_unknown',
      message: expect.stringContaining(words),
    });
  });
});
