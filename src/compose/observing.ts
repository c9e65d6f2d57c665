import { isPermitted } from '../contract/access/index.ts';
import type { Route } from '../http/index.ts';
import type { Settings } from '../config/index.ts';
import { parseSize } from '../contract/settings/index.ts';
import type { Log } from '../kernel/index.ts';
import {
  ActiveSpans,
  countSpan,
  createLog,
  createTracing,
  Metrics,
  type RunningLog,
  SpanLog,
  type Tracing,
  type TraceStore,
} from '../observe/index.ts';

interface ObservingOptions {
  readonly settings: Settings;
  readonly version: string;
  /** Where the log goes: to its file alone, or to standard error too for a user who watches. */
  readonly logTo: 'file' | 'stderr';
  readonly traces: TraceStore;
  /** That of the process when not given. */
  readonly stderr?: { write(text: string): unknown };
}

export interface Observing {
  readonly log: RunningLog;
  readonly tracing: Tracing;
  readonly metrics: Metrics;
}

const dayMs = 86_400_000;
const defaultLogBytes = 100_000_000;

export function startObserving(options: ObservingOptions): Observing {
  const { settings } = options;
  const activeSpans = new ActiveSpans();
  const log = startLog(options, activeSpans);
  const { enabled, keep_days, otlp_endpoint, otlp_headers } = settings.tracing;
  const metrics = new Metrics();
  const spanLog = new SpanLog(log);
  const tracing = createTracing({
    activeSpans,
    log,
    onSpan: (record, runId) => {
      countSpan(metrics, record);
      spanLog.write(record, runId);
    },
    onDropped: (target, count) => metrics.add('tutti_spans_dropped_total', [target], count),
    ...(enabled ? { store: options.traces } : {}),
    ...(otlp_endpoint === undefined
      ? {}
      : {
          otlp: {
            endpoint: otlp_endpoint,
            headers: otlp_headers,
            serviceVersion: options.version,
          },
        }),
    limits: { maxKeptAgeMs: keep_days * dayMs },
  });
  return { log, tracing, metrics };
}

function startLog(options: ObservingOptions, activeSpans: ActiveSpans): RunningLog {
  const { level, file, max_size, backup_count } = options.settings.logging;
  const { stderr = process.stderr } = options;
  const parts = { level, activeSpan: () => activeSpans.ids() };
  const isWatched = options.logTo === 'stderr';
  const toFile = createLog({
    ...parts,
    file,
    maxBytes: parseSize(max_size) ?? defaultLogBytes,
    backupCount: backup_count,
    // Gets what the file does not take; standard error already has that line when it is watched.
    stream: isWatched ? { write: () => true } : stderr,
  });
  if (!isWatched) return toFile;
  const toStderr = createLog({ ...parts, stream: stderr });
  return {
    ...writeToBoth(toFile, toStderr),
    isWritten: (level) => toFile.isWritten(level),
    setLevel: (next) => [toFile, toStderr].forEach((log) => log.setLevel(next)),
    close: () => toFile.close(),
  };
}

function writeToBoth(first: Log, second: Log): Log {
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error'): Log['info'] =>
    (message, fields) => {
      first[level](message, fields);
      second[level](message, fields);
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => writeToBoth(first.child(fields), second.child(fields)),
  };
}

/** `/metrics`, for Prometheus. Names of servers and tools are for authenticated callers. */
export function metricsRoute(metrics: Pick<Metrics, 'render' | 'collect'>): Route {
  return {
    path: '/metrics',
    methods: ['GET'],
    access: 'caller',
    handle: async ({ response }, caller) => {
      if (!isPermitted(caller, 'metrics.read')) {
        const title = 'The role of the caller does not have the permission metrics.read';
        const text = JSON.stringify({ type: 'about:blank', status: 403, title });
        response.writeHead(403, { 'content-type': 'application/problem+json' }).end(text);
        return undefined;
      }
      await metrics.collect();
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
      response.end(metrics.render());
      return undefined;
    },
  };
}
