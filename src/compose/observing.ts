import type { Settings } from '../config/index.ts';
import { parseSize } from '../contract/settings/index.ts';
import {
  ActiveSpans,
  createLog,
  createTracing,
  type RunningLog,
  type Tracing,
  type TraceStore,
} from '../observe/index.ts';

export interface ObservingOptions {
  readonly settings: Settings;
  readonly version: string;
  /** Where the log goes: its file, or standard error for a person who watches. */
  readonly logTo: 'file' | 'stderr';
  readonly traces: TraceStore;
}

export interface Observing {
  readonly log: RunningLog;
  readonly tracing: Tracing;
}

const dayMs = 86_400_000;
const defaultLogBytes = 100_000_000;

export function startObserving(options: ObservingOptions): Observing {
  const { settings } = options;
  const activeSpans = new ActiveSpans();
  const log = createLog({
    level: settings.logging.level,
    ...(options.logTo === 'file' ? { file: settings.logging.file } : {}),
    maxBytes: parseSize(settings.logging.max_size) ?? defaultLogBytes,
    backupCount: settings.logging.backup_count,
    activeSpan: () => activeSpans.ids(),
  });
  const { enabled, keep_days, otlp_endpoint, otlp_headers } = settings.tracing;
  const tracing = createTracing({
    activeSpans,
    log,
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
  return { log, tracing };
}
