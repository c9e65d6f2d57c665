import { z } from 'zod';
import { httpUrl } from './scalars.ts';
import { about } from './traits.ts';

const restate = z
  .strictObject({
    ingress_url: httpUrl
      .default('http://127.0.0.1:8080')
      .meta(
        about('Where Restate takes requests to start and to signal runs.', { isAddress: true }),
      ),
    admin_url: httpUrl
      .default('http://127.0.0.1:9070')
      .meta(about('Where Restate is told about workers.', { isAddress: true })),
    worker_host: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .meta(about('Address `tutti worker` listens on for Restate.')),
    worker_port: z
      .int()
      .min(0)
      .max(65_535)
      .default(9080)
      .meta(about('Port `tutti worker` listens on for Restate; 0 takes a free one.')),
    worker_url: httpUrl
      .optional()
      .meta(
        about(
          'How Restate reaches the workers, where that is not their own address: that of the proxy before them.',
          { isAddress: true },
        ),
      ),
    identity_key: z
      .string()
      .regex(/^publickeyv1_[1-9A-Za-z]{1,60}$/)
      .optional()
      .meta(
        about(
          'Public key of Restate, `publickeyv1_…` as it writes it at its start: workers then refuse requests that it did not sign.',
        ),
      ),
  })
  .meta(about('The engine for several workers (`workflow.engine: restate`).'));

export const workflowSettings = z
  .strictObject({
    engine: z
      .enum(['embedded', 'restate'])
      .default('embedded')
      .meta(about('What runs plans: this process on its own database, or Restate and workers.')),
    approval: z
      .enum(['plan', 'destructive', 'effects'])
      .default('plan')
      .meta(
        about(
          'Calls that need approval: `plan` where the plan asks for it, `destructive` also every call that may destroy something, `effects` also every call that is not read-only.',
        ),
      ),
    approval_hours: z
      .number()
      .min(0.01)
      .max(8_760)
      .default(168)
      .meta(about('An approval nobody gave is refused after this many hours.')),
    durability: z
      .enum(['normal', 'full'])
      .default('normal')
      .meta(
        about(
          'What runs survive: `normal` the death of every process, `full` the loss of power too: an end that was told, what an effect came to, and all that an effect was made of; steps that only read and had just finished may be done again. Beginnings of effects and approvals are always kept as `full`.',
        ),
      ),
    max_steps: z
      .int()
      .min(1)
      .max(100_000)
      .default(10_000)
      .meta(about('Steps of a plan, those of its sub-plans included.')),
    max_items: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(10_000)
      .meta(about('Elements one `forEach` may go through.')),
    max_parallel: z
      .int()
      .min(1)
      .max(10_000)
      .default(256)
      .meta(
        about('Calls of one run at the same time. Servers have limits of their own beside it.'),
      ),
    max_running_runs: z
      .int()
      .min(1)
      .max(10_000)
      .default(200)
      .meta(about('Runs one process executes at the same time; the next ones wait.')),
    max_run_ms: z
      .int()
      .min(1_000)
      .max(31_536_000_000)
      .default(2_592_000_000)
      .meta(
        about('A run that is not over after this many milliseconds has failed, waiting included.'),
      ),
    inline_bytes: z
      .int()
      .min(1_024)
      .max(1_048_576)
      .default(65_536)
      .meta(about('Outputs with more bytes than this are kept as artifacts.')),
    retention_days: z
      .number()
      .min(0.01)
      .max(36_500)
      .default(30)
      .meta(about('Runs that ended are kept this many days, with the artifacts they made.')),
    restate,
  })
  .meta(about('How plans are run.', { isUserOnly: true }));
