import { connect } from 'node:net';
import { reportError } from '../../kernel/index.ts';
import { RestateClient, type RestateAddress } from './restate-client.ts';

/** What is there of what runs on Restate need. `fix` says what to do where something is missing. */
export interface RestateHealth {
  readonly isHealthy: boolean;
  readonly message: string;
  readonly fix?: string;
}

const startFix = 'Start Restate (docs/restate.md says how) or correct "workflow.restate"';
const workerFix = 'Start a worker: "tutti worker --engine restate"';
const httpPort = 80;

/** Looks, in this order, at Restate's two addresses, at whether it knows of workers, and whether they are there. */
export async function examineRestate(address: RestateAddress): Promise<RestateHealth> {
  const { ingressUrl, adminUrl, requestMs } = address;
  const client = new RestateClient(address);
  try {
    const version = await client.version();
    await client.checkIngress('a look at its health');
    const name = `Restate ${version} at ${ingressUrl}, told of workers at ${adminUrl}`;
    const current = await client.currentDeployment();
    if (current === undefined) {
      return { isHealthy: false, message: `${name}: it knows of no worker`, fix: workerFix };
    }
    const url = (await client.deployments()).find(({ id }) => id === current)?.uri ?? '';
    if (!(await answers(url, requestMs))) {
      const message = `${name}: nobody answers at ${url}, where its workers should be`;
      return { isHealthy: false, message, fix: workerFix };
    }
    return { isHealthy: true, message: `${name}; workers answer at ${url}` };
  } catch (error) {
    return { isHealthy: false, message: reportError(error).message, fix: startFix };
  }
}

function answers(url: string, limitMs: number): Promise<boolean> {
  if (!URL.canParse(url)) return Promise.resolve(false);
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: port === '' ? httpPort : Number(port) });
    const settle = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.setTimeout(limitMs, () => settle(false));
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}
