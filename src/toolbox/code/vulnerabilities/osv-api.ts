import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Semaphore, systemClock, type Clock } from '../../../kernel/index.ts';
import { OsvUnreachableError } from '../errors.ts';
import {
  osvRecordSchema,
  type LookUpOptions,
  type OsvAnswer,
  type OsvRecord,
  type OsvSource,
} from './osv-record.ts';
import type { LockedPackage } from './locked-package.ts';

const batchSchema = z.object({
  results: z.array(
    z
      .object({
        vulns: z.array(z.object({ id: z.string() })).nullish(),
        next_page_token: z.string().nullish(),
      })
      .nullish(),
  ),
});

export interface OsvApiOptions {
  readonly requestTimeoutMs?: number;
  readonly maxAttempts?: number;
  /** Waits between attempts; an argument so that tests need not. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly clock?: Clock;
}

const maxQueriesPerBatch = 1_000;
const maxPages = 50;
const maxRecords = 20_000;
const maxConcurrent = 8;
const maxAnswerBytes = 64 * 1024 * 1024;
const maxPauseMs = 5_000;
const firstPauseMs = 250;

/** The public OSV service, or one that speaks the same API. */
export class OsvApi implements OsvSource {
  readonly kind = 'osv-api';
  readonly #url: string;
  readonly #options: Required<OsvApiOptions>;

  constructor(url: string, options: OsvApiOptions = {}) {
    this.#url = url.replace(/\/+$/, '');
    const pause: OsvApiOptions['pause'] = (ms, signal) => sleep(ms, undefined, { signal });
    const defaults = { requestTimeoutMs: 20_000, maxAttempts: 4, pause, clock: systemClock };
    this.#options = { ...defaults, ...options };
  }

  async lookUp(packages: readonly LockedPackage[], options: LookUpOptions): Promise<OsvAnswer> {
    const ids = await this.#findIds(packages, options);
    const wanted = [...new Set(ids.flat())];
    if (wanted.length > maxRecords) {
      throw new OsvUnreachableError(this.#url, `it named more than ${maxRecords} records`);
    }
    const records = new Map<string, OsvRecord>();
    const requests = new Semaphore({ maxConcurrent, maxWaiting: maxRecords });
    await Promise.all(
      wanted.map((id) =>
        requests.pass(async () => {
          const path = `/v1/vulns/${encodeURIComponent(id)}`;
          records.set(
            id,
            await this.#request(path, undefined, { schema: osvRecordSchema, options }),
          );
          options.progress(records.size, wanted.length, 'Reading vulnerability records');
        }, options.signal),
      ),
    );
    return {
      records: ids.map((list) => list.flatMap((id) => records.get(id) ?? [])),
      asOf: new Date(this.#options.clock.now()).toISOString(),
      warnings: [],
    };
  }

  /** Asks in batches, and again for the further pages of those that have some. */
  async #findIds(packages: readonly LockedPackage[], options: LookUpOptions): Promise<string[][]> {
    const found: string[][] = packages.map(() => []);
    let open = packages.map((_, index): OpenQuery => ({ index, pageToken: undefined }));
    for (let page = 0; open.length > 0; page += 1) {
      if (page >= maxPages) {
        throw new OsvUnreachableError(this.#url, `it kept offering more pages after ${maxPages}`);
      }
      const further: OpenQuery[] = [];
      for (let start = 0; start < open.length; start += maxQueriesPerBatch) {
        const batch = open.slice(start, start + maxQueriesPerBatch);
        options.progress(start, open.length, 'Asking OSV about the packages');
        further.push(...(await this.#queryBatch({ batch, packages, found }, options)));
      }
      open = further;
    }
    return found;
  }

  async #queryBatch(work: BatchWork, options: LookUpOptions): Promise<OpenQuery[]> {
    const queries = work.batch.map(({ index, pageToken }) => {
      const locked = work.packages[index];
      return {
        package: { name: locked?.name, ecosystem: locked?.ecosystem },
        version: locked?.version,
        ...(pageToken === undefined ? {} : { page_token: pageToken }),
      };
    });
    const answer = await this.#request(
      '/v1/querybatch',
      { queries },
      { schema: batchSchema, options },
    );
    if (answer.results.length !== queries.length) {
      const counts = `${answer.results.length} results for ${queries.length} queries`;
      throw new OsvUnreachableError(this.#url, `it answered with ${counts}`);
    }
    const further: OpenQuery[] = [];
    work.batch.forEach(({ index }, place) => {
      const result = answer.results[place];
      work.found[index]?.push(...(result?.vulns ?? []).map(({ id }) => id));
      if (result?.next_page_token) further.push({ index, pageToken: result.next_page_token });
    });
    return further;
  }

  async #request<Schema extends z.ZodType>(
    path: string,
    body: unknown,
    { schema, options }: { readonly schema: Schema; readonly options: LookUpOptions },
  ): Promise<z.output<Schema>> {
    const { maxAttempts, pause } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#attempt(path, body, options.signal);
      if (outcome.kind === 'answered') {
        const parsed = schema.safeParse(outcome.value);
        if (parsed.success) return parsed.data;
        const [issue] = parsed.error.issues;
        const where = `${path}: ${issue?.path.join('.')}: ${issue?.message}`;
        const problem = `its answer does not have the OSV form (${where})`;
        throw new OsvUnreachableError(this.#url, problem);
      }
      if (!outcome.mayRetry || attempt >= maxAttempts) {
        throw new OsvUnreachableError(this.#url, outcome.problem, outcome.cause);
      }
      const backoffMs = outcome.retryAfterMs ?? firstPauseMs * 2 ** (attempt - 1);
      await pause(Math.min(backoffMs, maxPauseMs), options.signal);
    }
  }

  async #attempt(path: string, body: unknown, signal: AbortSignal): Promise<Outcome> {
    const { requestTimeoutMs } = this.#options;
    const timeout = AbortSignal.timeout(requestTimeoutMs);
    try {
      const response = await fetch(this.#url + path, {
        method: body === undefined ? 'GET' : 'POST',
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        signal: AbortSignal.any([signal, timeout]),
      });
      const text = await readBounded(response);
      if (response.ok) return parseAnswer(text, path);
      return {
        kind: 'failed',
        problem: `HTTP ${response.status} for ${path}`,
        mayRetry: response.status === 429 || response.status >= 500,
        retryAfterMs: retryAfterMs(response),
      };
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted) {
        const problem = `no answer for ${path} within ${requestTimeoutMs} ms`;
        return { kind: 'failed', problem, mayRetry: true };
      }
      return { kind: 'failed', problem: networkProblem(error), mayRetry: true, cause: error };
    }
  }
}

interface OpenQuery {
  readonly index: number;
  readonly pageToken: string | undefined;
}

interface BatchWork {
  readonly batch: readonly OpenQuery[];
  readonly packages: readonly LockedPackage[];
  readonly found: readonly string[][];
}

type Outcome =
  | { readonly kind: 'answered'; readonly value: unknown }
  | {
      readonly kind: 'failed';
      readonly problem: string;
      readonly mayRetry: boolean;
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    };

function parseAnswer(text: string | undefined, path: string): Outcome {
  if (text === undefined) {
    const problem = `the answer for ${path} has more than ${maxAnswerBytes} bytes`;
    return { kind: 'failed', problem, mayRetry: false };
  }
  try {
    return { kind: 'answered', value: JSON.parse(text) };
  } catch {
    return { kind: 'failed', problem: `the answer for ${path} is not JSON`, mayRetry: false };
  }
}

/** The body as text, or `undefined` as soon as it grows beyond the limit. */
async function readBounded(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxAnswerBytes) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function retryAfterMs(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}

/** `fetch` hides the reason (refused, unknown host …) in the cause. */
function networkProblem(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return message.includes(code) ? message : `${code} ${message}`;
}
