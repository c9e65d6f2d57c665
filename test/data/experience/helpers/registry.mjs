// registry.mjs PORT COMMAND…: runs the command while a small npm registry answers on the port.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './run.mjs';

const [port, ...command] = process.argv.slice(2);
const packages = {
  'left-pad': { '1.0.0': {}, '2.0.0': {} },
  'needs-peer': { '1.0.0': { peerDependencies: { 'left-pad': '^2.0.0' } } },
  'bad-hash': { '1.0.0': {} },
};

const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url ?? '/').slice(1);
  const name = path.split('/-/')[0];
  const versions = packages[name];
  if (versions === undefined) {
    response.writeHead(404, { 'content-type': 'application/json' });
    return response.end('{"error":"Not found"}');
  }
  if (path.endsWith('.tgz')) return response.end(tarball(name, path.slice(-9, -4)));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(document(name, versions)));
});
server.listen(Number(port), '127.0.0.1', () => run(command));

function document(name, versions) {
  const described = Object.entries(versions).map(([version, more]) => {
    const digest = createHash('sha512').update(name === 'bad-hash' ? 'other' : tarball(name, version));
    const url = `http://127.0.0.1:${port}/${name}/-/${name}-${version}.tgz`;
    const dist = { tarball: url, integrity: `sha512-${digest.digest('base64')}` };
    return [version, { name, version, dist, ...more }];
  });
  const latest = Object.keys(versions).at(-1);
  return { name, 'dist-tags': { latest }, versions: Object.fromEntries(described) };
}

function tarball(name, version) {
  const folder = mkdtempSync(join(tmpdir(), 'registry-'));
  mkdirSync(join(folder, 'package'));
  writeFileSync(join(folder, 'package', 'package.json'), JSON.stringify({ name, version }));
  const options = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '-C', folder];
  execFileSync('sh', ['-c', 'tar "$@" -cf - package | gzip -n > t.tgz', 'sh', ...options], { cwd: folder });
  return readFileSync(join(folder, 't.tgz'));
}
