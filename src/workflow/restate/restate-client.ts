import { connect } from 'node:net';
import { z } from 'zod';
import type { Json } from '../../contract/plan/index.ts';
import { reportError } from '../../kernel/index.ts';
import { RestateRefusedError, RestateUnreachableError } from './errors.ts';
import type { Submission } from './restate-engine.ts';

/** The name runs have as a workflow in Restate. */
export const runWorkflowName = 'tutti-run';

const accepted = z.object({ invocationId: z.string() });
const deployment = z.object({
  id: z.string(),
  uri: z.string().optional(),
  services: z.array(z.object({ name: z.string() })),
});
const deployments = z.object({ deployments: z.array(deployment) });
const service = z.object({ deployment_id: z.string() });
const version = z.object({ version: z.string() });

type Deployment = z.infer<typeof deployment>;

interface RestateAddress {
  readonly ingressUrl: string;
  readonly adminUrl: string;
  readonly requestMs: number;
}

interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: string;
  readonly body?: Json;
  /** What is not done when this fails, as a noun. */
  readonly wanted: string;
  /** Statuses that are an answer, too. */
  readonly expected?: readonly number[];
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Answers longer than this are cut in messages. */
const maxAnswerLength = 500;

/**
 * Speaks to a Restate server. Throws `workflow.restate_unreachable` when there is no answer in time and
 * `workflow.restate_refused` when the answer is a refusal.
 */
export class RestateClient {
  readonly #address: RestateAddress;

  constructor(address: RestateAddress) {
    this.#address = address;
  }

  /**
   * Starts the workflow with this key, unless there is or was one; gives how Restate calls it, and
   * undefined when Restate knows no worker.
   */
  async submit(key: string, input: Submission): Promise<string | undefined> {
    const { status, text } = await this.#send({
      method: 'POST',
      url: this.#ingress(key, 'run/send'),
      body: { ...input },
      wanted: `the start of run ${key}`,
      expected: [404],
    });
    return status === 404 ? undefined : accepted.parse(JSON.parse(text)).invocationId;
  }

  /** The first value of a name counts. Returns when Restate has it for good. */
  async signal(key: string, name: string, payload: Json): Promise<void> {
    await this.#send({
      method: 'POST',
      url: this.#ingress(key, 'signal/send'),
      body: { name, payload },
      wanted: `the signal "${name}" for run ${key}`,
    });
  }

  /** Has the run end, whether it runs or has not begun. */
  async cancel(key: string): Promise<void> {
    await this.#send({
      method: 'POST',
      url: this.#ingress(key, 'cancel/send'),
      wanted: `the cancellation of run ${key}`,
    });
  }

  /** 409: it is over, or paused already. */
  async pause(invocationId: string): Promise<void> {
    await this.#send({
      method: 'PATCH',
      url: this.#admin(`invocations/${invocationId}/pause`),
      wanted: `the pause of ${invocationId}`,
      expected: [409],
    });
  }

  /** 409: it is over, or runs already. */
  async resume(invocationId: string): Promise<void> {
    await this.#send({
      method: 'PATCH',
      url: this.#admin(`invocations/${invocationId}/resume`),
      wanted: `the resumption of ${invocationId}`,
      expected: [409],
    });
  }

  /** Makes the workers at this address those that get runs from now on. Returns the id it has. */
  async register(url: string): Promise<string> {
    const { text } = await this.#send({
      method: 'POST',
      url: this.#admin('deployments'),
      body: { uri: url, force: true },
      wanted: `the registration of the worker at ${url}`,
    });
    return deployment.parse(JSON.parse(text)).id;
  }

  async deployments(): Promise<readonly Deployment[]> {
    const { text } = await this.#send({
      method: 'GET',
      url: this.#admin('deployments'),
      wanted: 'a look at the workers',
    });
    return deployments.parse(JSON.parse(text)).deployments;
  }

  /** The deployment that new runs go to; undefined before the first one was registered. */
  async currentDeployment(): Promise<string | undefined> {
    const { status, text } = await this.#send({
      method: 'GET',
      url: this.#admin(`services/${runWorkflowName}`),
      wanted: 'a look at the workers',
      expected: [404],
    });
    return status === 404 ? undefined : service.parse(JSON.parse(text)).deployment_id;
  }

  async version(): Promise<string> {
    const { text } = await this.#send({
      method: 'GET',
      url: this.#admin('version'),
      wanted: 'a look at its version',
    });
    return version.parse(JSON.parse(text)).version;
  }

  /** `wanted`: what is not done when it does not answer. */
  async checkIngress(wanted: string): Promise<void> {
    await this.#send({
      method: 'GET',
      url: `${withoutSlash(this.#address.ingressUrl)}/restate/health`,
      wanted,
    });
  }

  #ingress(key: string, handler: string): string {
    const base = withoutSlash(this.#address.ingressUrl);
    return `${base}/${runWorkflowName}/${encodeURIComponent(key)}/${handler}`;
  }

  #admin(path: string): string {
    return `${withoutSlash(this.#address.adminUrl)}/${path}`;
  }

  async #send({ method, url, body, wanted, expected = [] }: Request): Promise<Answer> {
    const answer = await fetch(url, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(this.#address.requestMs),
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    }).then(
      async (response) => ({
        isOk: response.ok,
        status: response.status,
        text: await response.text(),
      }),
      (error: unknown) => {
        throw new RestateUnreachableError({ url: new URL(url).origin, wanted }, error);
      },
    );
    if (answer.isOk || expected.includes(answer.status)) return answer;
    throw new RestateRefusedError({
      url: new URL(url).origin,
      wanted,
      status: answer.status,
      answer: answer.text.slice(0, maxAnswerLength),
    });
  }
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}

/** What is there of what runs on Restate need. `fix` says what to do where something is missing. */
interface RestateHealth {
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
      const message = `${name}: no answer from ${url}, the address of its workers`;
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
