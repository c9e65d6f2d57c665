import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { AppError } from '../../kernel/index.ts';
import { errorMessage, isSuccess, readAnswer } from '../http-answer.ts';

/** The few requests a sandbox needs of an API server. */
export interface ClusterApi {
  /** Its address. */
  readonly server: string;
  readonly namespace: string;
  create(path: string, body: object): Promise<unknown>;
  read(path: string): Promise<unknown>;
  /** Succeeds also when there was nothing to remove. */
  remove(path: string): Promise<void>;
  /** Calls back with each piece of an answer that goes on; resolves when the server ends it. */
  follow(path: string, options: FollowOptions): Promise<void>;
}

interface FollowOptions {
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: Uint8Array) => void;
}

const requestLimitMs = 30_000;

export function clusterApi(access: ClusterAccess): ClusterApi {
  const whole = async (method: string, path: string, body?: object): Promise<unknown> => {
    const signal = AbortSignal.timeout(requestLimitMs);
    const answer = await send(access, { method, path, body, signal });
    const text = await readAll(answer, `${method} ${path}`);
    if (isSuccess(answer)) return JSON.parse(text);
    throw refused(`${method} ${path}`, answer, text);
  };
  return {
    server: access.server,
    namespace: access.namespace,
    create: (path, body) => whole('POST', path, body),
    read: (path) => whole('GET', path),
    async remove(path) {
      // "Background" also removes what belongs to it: the pod of a job.
      const body = { propagationPolicy: 'Background', gracePeriodSeconds: 0 };
      await whole('DELETE', path, body).catch((error: unknown) => {
        if (!(error instanceof ClusterRequestError && error.status === 404)) throw error;
      });
    },
    async follow(path, { signal, onBytes }) {
      const answer = await send(access, { method: 'GET', path, signal });
      if (!isSuccess(answer)) throw refused(`GET ${path}`, answer, await readAll(answer, path));
      for await (const piece of answer) onBytes(piece as Uint8Array);
    },
  };
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly signal: AbortSignal;
}

function send(
  access: ClusterAccess,
  { method, path, body, signal }: Sent,
): Promise<IncomingMessage> {
  const url = new URL(access.server.replace(/\/$/, '') + path);
  const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const options: RequestOptions = {
    method,
    signal,
    headers: {
      accept: 'application/json',
      ...(access.token === undefined ? {} : { authorization: `Bearer ${access.token}` }),
      ...(content && { 'content-type': 'application/json', 'content-length': content.length }),
    },
    rejectUnauthorized: !access.skipsVerification,
    ...(access.ca && { ca: access.ca }),
    ...access.certificate,
  };
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = start(url, options, resolve);
    request.on('error', (error) => {
      reject(new ClusterRequestError(`${method} ${path} at ${url.origin}`, null, error.message));
    });
    request.end(content);
  });
}

function readAll(answer: IncomingMessage, attempt: string): Promise<string> {
  const status = answer.statusCode ?? null;
  return readAnswer(answer, (reason) => new ClusterRequestError(attempt, status, reason));
}

function refused(attempt: string, answer: IncomingMessage, text: string): ClusterRequestError {
  const status = answer.statusCode ?? null;
  const reason = `the API server answered ${status}: ${errorMessage(text)}`;
  return new ClusterRequestError(attempt, status, reason);
}

/** How to reach a cluster's API server and who we are there. */
export interface ClusterAccess {
  readonly server: string;
  readonly namespace: string;
  readonly ca?: Buffer | undefined;
  readonly token?: string | undefined;
  readonly certificate?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  /** The user's own kubeconfig says so; never a default of ours. */
  readonly skipsVerification: boolean;
}

export interface AccessOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
}

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';
const maxExecMs = 15_000;
const maxExecBytes = 1024 * 1024;

const base64 = z.string().transform((text) => Buffer.from(text, 'base64'));

const contextSchema = z.looseObject({
  cluster: z.string(),
  user: z.string().optional(),
  namespace: z.string().optional(),
});

const clusterSchema = z.looseObject({
  server: z.url({ protocol: /^https?$/ }),
  'certificate-authority-data': base64.optional(),
  'certificate-authority': z.string().optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
});

const userSchema = z.looseObject({
  token: z.string().optional(),
  tokenFile: z.string().optional(),
  'client-certificate-data': base64.optional(),
  'client-certificate': z.string().optional(),
  'client-key-data': base64.optional(),
  'client-key': z.string().optional(),
  exec: z
    .looseObject({
      command: z.string(),
      args: z.array(z.string()).nullish(),
      env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
    })
    .optional(),
});

const kubeconfigSchema = z.looseObject({
  'current-context': z.string().optional(),
  contexts: z.array(z.looseObject({ name: z.string(), context: contextSchema })),
  clusters: z.array(z.looseObject({ name: z.string(), cluster: clusterSchema })),
  users: z.array(z.looseObject({ name: z.string(), user: userSchema })).default([]),
});

const execCredential = z.looseObject({ status: z.looseObject({ token: z.string() }) });

type User = z.infer<typeof userSchema>;
type FileOptions = AccessOptions & { readonly folder: string };

/** The kubeconfig named by the settings, `KUBECONFIG` or the home folder; inside a pod its own account. */
export async function findClusterAccess(options: AccessOptions): Promise<ClusterAccess> {
  const [fromEnvironment] = (options.env['KUBECONFIG'] ?? '').split(':').filter(Boolean);
  const wanted = options.kubeconfig ?? fromEnvironment;
  if (wanted !== undefined) return readKubeconfig(wanted, options);
  const host = options.env['KUBERNETES_SERVICE_HOST'];
  if (host !== undefined) return readServiceAccount(host, options);
  return readKubeconfig(join(options.homeDirectory, '.kube', 'config'), options);
}

async function readServiceAccount(host: string, options: AccessOptions): Promise<ClusterAccess> {
  const port = options.env['KUBERNETES_SERVICE_PORT'] ?? '443';
  const read = (name: string): Promise<Buffer> => readFile(join(serviceAccountFolder, name));
  try {
    const [token, ca, namespace] = await Promise.all(['token', 'ca.crt', 'namespace'].map(read));
    return {
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      namespace: options.namespace ?? String(namespace).trim(),
      ca,
      token: String(token).trim(),
      skipsVerification: false,
    };
  } catch (error) {
    throw new ClusterAccessError(
      `the service account of this pod (${serviceAccountFolder})`,
      error,
    );
  }
}

async function readKubeconfig(path: string, options: AccessOptions): Promise<ClusterAccess> {
  try {
    const { parse } = await import('yaml');
    const config = kubeconfigSchema.parse(parse(await readFile(path, 'utf8')));
    return await accessFrom(config, { ...options, folder: dirname(resolve(path)) });
  } catch (error) {
    throw new ClusterAccessError(`the kubeconfig ${path}`, error);
  }
}

async function accessFrom(
  config: z.infer<typeof kubeconfigSchema>,
  options: FileOptions,
): Promise<ClusterAccess> {
  const wanted = options.context ?? config['current-context'];
  const { context } = find(config.contexts, wanted, 'context');
  const { cluster } = find(config.clusters, context.cluster, 'cluster');
  const user = context.user === undefined ? {} : find(config.users, context.user, 'user').user;
  const either = async (data?: Buffer, file?: string): Promise<Buffer | undefined> =>
    data ?? (file === undefined ? undefined : readFile(resolve(options.folder, file)));
  const cert = await either(user['client-certificate-data'], user['client-certificate']);
  const key = await either(user['client-key-data'], user['client-key']);
  return {
    server: cluster.server,
    namespace: options.namespace ?? context.namespace ?? 'default',
    ca: await either(cluster['certificate-authority-data'], cluster['certificate-authority']),
    token: await tokenOf(user, options),
    certificate: cert && key ? { cert, key } : undefined,
    skipsVerification: cluster['insecure-skip-tls-verify'] === true,
  };
}

function find<Row extends { readonly name: string }>(
  rows: readonly Row[],
  name: string | undefined,
  what: string,
): Row {
  const row = rows.find((candidate) => candidate.name === name);
  if (!row) throw new Error(`it has no ${what} "${name ?? ''}"`);
  return row;
}

async function tokenOf(user: User, options: FileOptions): Promise<string | undefined> {
  if (user.token !== undefined) return user.token;
  if (user.tokenFile !== undefined) {
    return (await readFile(resolve(options.folder, user.tokenFile), 'utf8')).trim();
  }
  if (!user.exec) return undefined;
  const { command, args, env } = user.exec;
  const added = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  const { stdout } = await promisify(execFile)(command, args ?? [], {
    env: { ...options.env, ...added },
    timeout: maxExecMs,
    maxBuffer: maxExecBytes,
  });
  return execCredential.parse(JSON.parse(stdout)).status.token;
}

/** We do not know where a cluster is or who we are there. */
class ClusterAccessError extends AppError {
  readonly code = 'sandbox.cluster_unknown';

  constructor(what: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `Could not read how to reach Kubernetes from ${what}: ${reason}. ` +
        'Set "sandbox.kubernetes.kubeconfig", or KUBECONFIG',
      { cause },
    );
  }
}

/** The API server refused or could not be reached. */
export class ClusterRequestError extends AppError {
  readonly code = 'sandbox.cluster_failed';
  override readonly retryable: boolean;
  readonly status: number | null;

  constructor(attempt: string, status: number | null, reason: string) {
    super(`${attempt} failed: ${reason}`, { details: { status } });
    this.status = status;
    this.retryable = status === null || status >= 500 || status === 429;
  }
}
