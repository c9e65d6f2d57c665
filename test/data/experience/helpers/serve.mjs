// serve.mjs HOW PORT COMMAND…: runs the command while a server answers on the port: with a status, or
// hang, reset, close, tls (its certificate is ./cert.pem, for localhost), tls-expired.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { run } from './run.mjs';

const [how, port, ...command] = process.argv.slice(2);
server().listen(Number(port), '127.0.0.1', () => run(command));

function server() {
  if (how === 'hang') return createServer(() => {});
  if (how === 'reset') return createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
  if (how === 'close') return createTcpServer((socket) => socket.once('data', () => socket.destroy()));
  if (how.startsWith('tls')) return createTlsServer(certificate(how === 'tls-expired'), (_, res) => res.end('ok'));
  return createServer((request, response) => {
    request.resume();
    const headers = { 'content-type': 'application/json' };
    if (how === '401') headers['www-authenticate'] = 'Bearer realm="api"';
    if (how === '407') headers['proxy-authenticate'] = 'Basic realm="proxy"';
    response.writeHead(Number(how), headers);
    response.end('{}');
  });
}

function certificate(isExpired) {
  writeFileSync('names', 'subjectAltName=DNS:localhost\nbasicConstraints=critical,CA:TRUE\n');
  const quiet = { stdio: 'ignore' };
  const request = ['-newkey', 'rsa:2048', '-nodes', '-keyout', 'key.pem', '-out', 'request.pem'];
  execFileSync('openssl', ['req', '-new', ...request, '-subj', '/CN=localhost'], quiet);
  const signed = ['-signkey', 'key.pem', '-days', isExpired ? '-1' : '2', '-extfile', 'names'];
  execFileSync('openssl', ['x509', '-req', '-in', 'request.pem', ...signed, '-out', 'cert.pem'], quiet);
  return { key: readFileSync('key.pem'), cert: readFileSync('cert.pem') };
}
