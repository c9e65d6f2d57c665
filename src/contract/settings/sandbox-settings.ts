import { z } from 'zod';
import { about, choice, decimal, flag, optionalText, sizeText, wholeNumber } from './traits.ts';

const verdict = z.enum(['allow', 'warn', 'ask', 'refuse']);

interface LimitValues {
  readonly wall_ms: number;
  readonly cpu_ms: number;
  readonly cpus: number;
  readonly memory: string;
  readonly pids: number;
  readonly disk: string;
  readonly open_files: number;
  readonly output: string;
}

/** What a program may use, with these values unless set. */
// oxlint-disable-next-line typescript/explicit-function-return-type -- the schema is its type
const limitsOf = (values: LimitValues) =>
  z.strictObject({
    wall_ms: wholeNumber(
      [10, 1_800_000],
      values.wall_ms,
      'Time limit of a program, in milliseconds.',
    ),
    cpu_ms: wholeNumber(
      [10, 7_200_000],
      values.cpu_ms,
      'CPU time limit for all its processes together, in milliseconds.',
    ),
    cpus: decimal([0.05, 256], values.cpus, 'Number of CPUs it may use; fractions are allowed.'),
    memory: sizeText
      .default(values.memory)
      .meta(about('Memory limit for all its processes, including files in its temporary folders.')),
    pids: wholeNumber([8, 4096], values.pids, 'Maximum number of processes and threads.'),
    disk: sizeText
      .default(values.disk)
      .meta(about('Maximum size of its working directory, and of any of its files.')),
    open_files: wholeNumber(
      [32, 65_536],
      values.open_files,
      'Maximum number of open files per process.',
    ),
    output: sizeText
      .default(values.output)
      .meta(
        about(
          'Maximum size of standard output and standard error together; more ends the program.',
        ),
      ),
  });

const limits = limitsOf({
  wall_ms: 30_000,
  cpu_ms: 30_000,
  cpus: 1,
  memory: '512MiB',
  pids: 256,
  disk: '128MiB',
  open_files: 512,
  output: '1MiB',
}).meta(about('What a program may use when the call names no limit.'));

const ceilings = limitsOf({
  wall_ms: 1_800_000,
  cpu_ms: 7_200_000,
  cpus: 256,
  memory: '8GiB',
  pids: 4096,
  disk: '4GiB',
  // More would let programs use up the descriptors in flight that the user's other programs share.
  open_files: 768,
  output: '64MiB',
}).meta(about('What no call may exceed; a call that asks for more is refused.'));

const pool = z
  .strictObject({
    enabled: flag(
      true,
      'Pre-start sandboxes while `tutti mcp` or `tutti serve` runs, so that programs start in milliseconds.',
    ),
    max_memory: sizeText
      .default('512MiB')
      .meta(about('Memory limit for all pre-started sandboxes together.')),
    max_idle: wholeNumber([0, 256], 8, 'Number of pre-started sandboxes per language.'),
  })
  .meta(about('Sandboxes started in advance; each runs one program.'));

const images = z
  .record(z.string().min(1), z.string().min(1))
  .default({})
  .meta(about('Images by toolchain, e.g. `{python: "python:3.13-slim"}`; others use `image`.'));

const docker = z
  .strictObject({
    socket: optionalText(
      'Socket of Docker or Podman. Default: `DOCKER_HOST`, then the standard locations.',
      {
        isPath: true,
      },
    ),
    image: z
      .string()
      .min(1)
      .default('tutti-sandbox')
      .meta(about('Image that programs run in. Tutti never pulls it.')),
    images,
    runtime: optionalText('OCI runtime, such as `runsc` for gVisor. Default: the engine’s own.'),
  })
  .meta(about('The driver `docker`.'));

const kubernetes = z
  .strictObject({
    kubeconfig: optionalText(
      'Kubeconfig file of the cluster. Default: `KUBECONFIG`, then the standard locations.',
      {
        isPath: true,
      },
    ),
    context: optionalText('Context in that file. Default: the current one.'),
    namespace: optionalText('Namespace for the jobs. Default: the namespace of the context.'),
    runtime_class: optionalText('Runtime class of the pods, such as `gvisor` or `kata`.'),
    image: z.string().min(1).default('tutti-sandbox').meta(about('Image that programs run in.')),
    images,
  })
  .meta(about('The driver `kubernetes`.'));

const check = z
  .strictObject({
    malicious: verdict
      .default('refuse')
      .meta(
        about(
          'Malicious code: reverse shells, miners, keyloggers, ransomware, theft of browser data and wallets.',
        ),
      ),
    critical: verdict.default('warn').meta(about('Code with a critical finding.')),
    major: verdict.default('warn').meta(about('Code with a major finding.')),
    minor: verdict.default('allow').meta(about('Code with a minor finding.')),
    info: verdict.default('allow').meta(about('Code with an informational finding.')),
  })
  .meta(
    about(
      'What the check before a run does about findings: `allow` says nothing, `warn` reports them, `ask` asks the client first, `refuse` runs nothing.',
    ),
  );

export const sandboxSettings = z
  .strictObject({
    driver: choice(
      ['auto', 'bubblewrap', 'docker', 'seatbelt', 'kubernetes'],
      'auto',
      'Sandbox driver. `auto` uses the first one that works here and satisfies the policy: bubblewrap on Linux, then docker. Seatbelt and kubernetes are used only if named, because they are unproven.',
    ),
    policy: choice(
      ['standard', 'strict'],
      'standard',
      'What must enforce resource limits: `standard` lets Tutti enforce them where the kernel cannot, `strict` requires the kernel. Isolation is always enforced by the kernel.',
    ),
    max_running: wholeNumber(
      [1, 1000],
      8,
      'Maximum number of programs running at once; further ones wait.',
    ),
    limits,
    ceilings,
    pool,
    docker,
    kubernetes,
    check,
  })
  .meta(about('Running untrusted code.', { isUserOnly: true }));
