import { z } from 'zod';
import { about, choice, decimal, httpUrl, wholeNumber } from './traits.ts';

const restate = z
  .strictObject({
    ingress_url: httpUrl
      .default('http://127.0.0.1:8080')
      .meta(
        about('URL of the Restate ingress, used to start and signal runs.', { isAddress: true }),
      ),
    admin_url: httpUrl
      .default('http://127.0.0.1:9070')
      .meta(about('URL of the Restate admin API, used to register workers.', { isAddress: true })),
    worker_host: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .meta(about('Address `tutti worker` listens on for Restate.')),
    worker_port: wholeNumber(
      [0, 65_535],
      9080,
      'Port `tutti worker` listens on for Restate; 0 picks a free one.',
    ),
    worker_url: httpUrl
      .optional()
      .meta(
        about(
          'URL at which Restate reaches the workers, if it differs from their own address, for example that of a proxy.',
          { isAddress: true },
        ),
      ),
    identity_key: z
      .string()
      .regex(/^publickeyv1_[1-9A-Za-z]{1,60}$/)
      .optional()
      .meta(
        about(
          'Public key of Restate, `publickeyv1_…`, as logged at its startup. If set, workers reject requests not signed with it.',
        ),
      ),
  })
  .meta(about('The engine for several workers (`workflow.engine: restate`).'));

export const workflowSettings = z
  .strictObject({
    engine: choice(
      ['embedded', 'restate'],
      'embedded',
      'Engine that runs plans: `embedded` in this process, or `restate` with workers.',
    ),
    approval: choice(
      ['plan', 'destructive', 'effects'],
      'plan',
      'Calls that need approval: `plan` where the plan asks for it, `destructive` also every call that may destroy something, `effects` also every call that is not read-only.',
    ),
    approval_hours: decimal(
      [0.01, 8_760],
      168,
      'Hours after which an unanswered approval expires and counts as denied.',
    ),
    durability: choice(
      ['normal', 'full'],
      'normal',
      '`normal`: committed results survive a crash of every process. `full`: reported run results and everything an effect depends on also survive power loss; read-only steps of the last moments may run again. The start of an effect and approvals are always stored as with `full`.',
    ),
    max_steps: wholeNumber(
      [1, 100_000],
      10_000,
      'Maximum number of steps in a plan, including its sub-plans.',
    ),
    max_items: wholeNumber([1, 1_000_000], 10_000, 'Maximum number of elements in a `forEach`.'),
    max_parallel: wholeNumber(
      [1, 10_000],
      256,
      'Maximum concurrent calls of one run. Servers have their own limits in addition.',
    ),
    max_running_runs: wholeNumber(
      [1, 10_000],
      200,
      'Maximum number of runs one process executes at once; further runs wait.',
    ),
    max_run_ms: wholeNumber(
      [1_000, 31_536_000_000],
      2_592_000_000,
      'Time limit of a run in milliseconds, including waiting; after that it fails.',
    ),
    inline_bytes: wholeNumber(
      [1_024, 1_048_576],
      65_536,
      'Outputs larger than this many bytes are stored as artifacts.',
    ),
    retention_days: decimal(
      [0.01, 36_500],
      30,
      'Days that finished runs and their artifacts are kept.',
    ),
    restate,
  })
  .meta(about('How plans are run.', { isUserOnly: true }));
