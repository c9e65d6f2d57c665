import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { ModelCallError } from '../errors.ts';
import type { TextModel } from '../text-model.ts';

/** Users whose programs listen on a port of this machine: `uid:1000`; `unknown` where the system does not tell. */
export async function findSocketOwner(port: number, folder = '/proc/net'): Promise<string> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`${folder}/${name}`, 'latin1').catch(() => '')),
  );
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  const owners = tables
    .flatMap((table) => [...table.matchAll(listener)])
    .filter(([, address = '', at]) => at === wanted && reached.test(address))
    .map(([, , , uid]) => `uid:${uid}`);
  // More than one only where different programs share the port by address; then none of them stands for it.
  return [...new Set(owners)].toSorted().join(' ') || 'unknown';
}

/** A line of the kernel's table for a socket that listens (`0A`): address, port, and the user. */
const listener = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) \S+ 0A \S+ \S+ \S+ +(\d+)/gm;
/** 127.0.0.1 and all addresses, also as IPv6 writes them. */
const reached = /^(?:(?:0{16}(?:0{8}|F{4}0{4}))?(?:0100007F|0{8}))$/;

/** Below this are root and the users of services. */
const firstPerson = 1_000;

export async function describeSocketOwner(owner: string): Promise<string> {
  const [, text] = /^uid:(\d+)$/.exec(owner) ?? [];
  if (text === undefined)
    return owner === 'unknown' ? 'an unknown user' : `several users (${owner})`;
  const uid = Number(text);
  if (uid === userInfo().uid) return 'you';
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const name = users
    .split('\n')
    .find((line) => line.split(':')[2] === text)
    ?.split(':')[0];
  const who = name === undefined ? `uid ${uid}` : `${name} (uid ${uid})`;
  if (uid === 0) return 'root';
  return uid < firstPerson ? `the service user ${who}` : `ANOTHER USER of this machine, ${who}`;
}

/** A detected model that is asked only while the program at its address belongs to the accepted user account. */
export function createOwnedModel(model: TextModel, owner: string): TextModel {
  const { name, url } = model;
  const check = async (): Promise<void> => {
    const found = await findSocketOwner(Number(new URL(url ?? '').port));
    if (found === owner) return;
    const reason = `another program listens at ${url}; "tutti models" shows it`;
    throw new ModelCallError('models.unreachable', { model: name, reason, isLasting: true });
  };
  return {
    name,
    provider: model.provider,
    model: model.model,
    url,
    contextTokens: model.contextTokens,
    ask: async (request, options) => {
      await check();
      return model.ask(request, options);
    },
    probe: async (signal) => {
      await check();
      return model.probe(signal);
    },
    close: () => model.close(),
  };
}
