import { z } from 'zod';
import { sizeText } from './scalars.ts';
import { about } from './traits.ts';

const verdict = z.enum(['allow', 'warn', 'ask', 'refuse']);

const limits = z
  .strictObject({
    wall_ms: z
      .int()
      .min(10)
      .max(1_800_000)
      .default(30_000)
      .meta(about('Milliseconds after which a program is killed.')),
    cpu_ms: z
      .int()
      .min(10)
      .max(7_200_000)
      .default(30_000)
      .meta(about('Milliseconds of CPU time that all its processes may use together.')),
    cpus: z
      .number()
      .min(0.05)
      .max(256)
      .default(1)
      .meta(about('Processors it may keep busy; fractions are allowed.')),
    memory: sizeText
      .default('512MiB')
      .meta(about('Memory of all its processes, files in its temporary folders included.')),
    pids: z.int().min(8).max(4096).default(256).meta(about('Processes and threads at once.')),
    disk: sizeText.default('128MiB').meta(about('Size of its work folder.')),
    open_files: z.int().min(32).max(65_536).default(1024).meta(about('Open files of one process.')),
    output: sizeText
      .default('1MiB')
      .meta(about('Standard output and standard error together; more ends the program.')),
  })
  .meta(about('What a program may use when the call names no limit.'));

const pool = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .meta(
        about(
          'Start sandboxes in advance while `tutti mcp` or `tutti serve` runs: a program then starts in milliseconds.',
        ),
      ),
    max_memory: sizeText
      .default('512MiB')
      .meta(about('What sandboxes started in advance may cost together.')),
    max_idle: z
      .int()
      .min(0)
      .max(256)
      .default(8)
      .meta(about('Sandboxes started in advance for one language.')),
  })
  .meta(about('Sandboxes started in advance; each runs one program.'));

const images = z
  .record(z.string().min(1), z.string().min(1))
  .default({})
  .meta(about('Images by toolchain, e.g. `{python: "python:3.13-slim"}`; others use `image`.'));

const docker = z
  .strictObject({
    socket: z
      .string()
      .min(1)
      .optional()
      .meta(
        about('Socket of Docker or Podman; without it `DOCKER_HOST` and the usual places count.', {
          isPath: true,
        }),
      ),
    image: z
      .string()
      .min(1)
      .default('tutti-sandbox')
      .meta(about('Image that programs run in. It is never pulled.')),
    images,
    runtime: z
      .string()
      .min(1)
      .optional()
      .meta(about('OCI runtime to use, such as `runsc` of gVisor; the engine’s own otherwise.')),
  })
  .meta(about('The driver `docker`.'));

const kubernetes = z
  .strictObject({
    kubeconfig: z
      .string()
      .min(1)
      .optional()
      .meta(
        about(
          'File that says how to reach the cluster; `KUBECONFIG` and the usual places otherwise.',
          {
            isPath: true,
          },
        ),
      ),
    context: z
      .string()
      .min(1)
      .optional()
      .meta(about('Context of that file; the current one otherwise.')),
    namespace: z
      .string()
      .min(1)
      .optional()
      .meta(about('Namespace that jobs are made in; that of the context otherwise.')),
    runtime_class: z
      .string()
      .min(1)
      .optional()
      .meta(about('Runtime class of the pods, such as `gvisor` or `kata`.')),
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
          'Code made to do harm: reverse shells, miners, keyloggers, ransomware, theft of browser data and wallets.',
        ),
      ),
    critical: verdict.default('warn').meta(about('Code with a critical finding.')),
    major: verdict.default('warn').meta(about('Code with a major finding.')),
    minor: verdict.default('allow').meta(about('Code with a minor finding.')),
    info: verdict.default('allow').meta(about('Code with a finding worth a remark.')),
  })
  .meta(
    about(
      'What the check before a run does about findings: `allow` says nothing, `warn` reports them, `ask` asks the client first, `refuse` runs nothing.',
    ),
  );

export const sandboxSettings = z
  .strictObject({
    driver: z
      .enum(['auto', 'bubblewrap', 'docker', 'seatbelt', 'kubernetes'])
      .default('auto')
      .meta(
        about(
          'What holds programs. `auto` takes the first that works here and holds what the policy asks for: bubblewrap on Linux, then docker; seatbelt on macOS.',
        ),
      ),
    policy: z
      .enum(['standard', 'strict'])
      .default('standard')
      .meta(
        about(
          'Who must hold limits of resources: `standard` lets Tutti itself watch them where the kernel cannot, `strict` wants the kernel. Isolation is always the kernel’s.',
        ),
      ),
    max_running: z
      .int()
      .min(1)
      .max(1000)
      .default(8)
      .meta(about('Programs that run at once; the next ones wait.')),
    limits,
    pool,
    docker,
    kubernetes,
    check,
  })
  .meta(about('Running code nobody trusts.', { isUserOnly: true }));
