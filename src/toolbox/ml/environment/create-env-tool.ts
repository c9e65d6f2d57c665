import { z } from 'zod';
import { assertApprovedBasis, type EffectTool, effectTool } from '../../effect-tool.ts';
import { defineTool } from '../../define-tool.ts';
import { PythonEnvironmentError } from '../errors.ts';
import type { MlParts } from '../ml-ports.ts';
import {
  buildEnvironment,
  type EnvironmentBuild,
  findBuilt,
  planBuild,
} from './build-environment.ts';
import { findInterpreters, type Interpreter, interpreterSchema } from './find-interpreters.ts';
import { nameOf } from './package-names.ts';
import { type Environment, environmentSchema, testEnvironment } from './test-environment.ts';
import texts from '../tools.json' with { type: 'json' };

const input = z.strictObject({
  engine: z
    .enum(['embedded', 'python', 'gguf'])
    .default('embedded')
    .describe('The engine it is for.'),
  packages: z
    .array(
      z
        .string()
        .regex(/^[a-z0-9][\w.-]*(?:==[\w.+-]+)?$/i, 'must be name or name==version')
        .max(100),
    )
    .max(50)
    .default([])
    .describe('Packages it must have, as name or name==version.'),
});

const output = z.object({
  engine: z.string().describe('The engine it is for.'),
  environment: environmentSchema.nullable().describe('Null where the engine needs no Python.'),
  interpreters: z.array(interpreterSchema).describe('Those found on this machine.'),
});

type Request = z.output<typeof input>;

/** What a call would do: only `build` changes anything. */
type Found =
  | { readonly kind: 'none' }
  | { readonly kind: 'ready'; readonly environment: Environment }
  | { readonly kind: 'build'; readonly build: EnvironmentBuild };

/** The tool `create_env`: looks for an environment, and builds one where it is approved. */
export function createEnvTool(parts: MlParts): EffectTool {
  const tool = defineTool({
    ...texts.create_env,
    input,
    output,
    run: async (request, context) => {
      const { engine } = request;
      const { found, interpreters } = await look(parts, request, context.signal);
      if (found.kind === 'none') return { engine, environment: null, interpreters };
      if (found.kind === 'ready') return { engine, environment: found.environment, interpreters };
      assertApprovedBasis(basisOf(found), context, {
        environment: 'What would be installed, from where, or the Python below it has changed',
      });
      const environment = await buildEnvironment(parts, found.build, context);
      return { engine, environment, interpreters };
    },
    summarize: ({ engine, environment, interpreters }) => {
      if (!environment)
        return `The engine ${engine} needs no Python: Node and WebAssembly do the work.`;
      const packages = Object.entries(environment.packages).map(
        ([name, version]) => `${name} ${version}`,
      );
      const speed = environment.gflops === null ? '' : `; ${environment.gflops.toFixed(1)} GFLOPS`;
      return [
        `${environment.python}: ${packages.join(', ')}${speed}`,
        ...environment.warnings,
        `found: ${interpreters.map(({ path, version }) => `${path} (${version})`).join(', ')}`,
      ].join('\n');
    },
  });
  return effectTool(tool, input, async (request, signal) => {
    const { found } = await look(parts, request, signal);
    const basis = basisOf(found);
    if (found.kind === 'build') return { text: describeBuild(parts, found.build), basis };
    const text =
      found.kind === 'none'
        ? `The engine ${request.engine} needs no Python; nothing is installed.`
        : `${found.environment.python} has all of it; nothing is installed.`;
    return { text, basis, changesNothing: true };
  });
}

async function look(
  parts: MlParts,
  { engine, packages }: Request,
  signal: AbortSignal,
): Promise<{ found: Found; interpreters: Interpreter[] }> {
  if (engine !== 'python' && packages.length === 0)
    return { found: { kind: 'none' }, interpreters: [] };
  const wanted = packages.length > 0 ? packages : ['torch'];
  const interpreters = [...(await findInterpreters(parts, signal, wanted.map(nameOf)))];
  const complete = interpreters.filter((one) => wanted.every((each) => hasPackage(one, each)));
  for (const interpreter of complete) {
    const environment = await testEnvironment(
      parts,
      { interpreter, folder: null, wanted },
      signal,
    ).catch((error: unknown) => {
      if (error instanceof PythonEnvironmentError) return undefined;
      throw error;
    });
    if (environment) return { found: { kind: 'ready', environment }, interpreters };
  }
  const build = await planBuild(parts, { interpreters, wanted });
  const built = await findBuilt(build.folder);
  const found: Found = built ? { kind: 'ready', environment: built } : { kind: 'build', build };
  return { found, interpreters };
}

function hasPackage({ packages }: Interpreter, wanted: string): boolean {
  const [name = '', version] = wanted.split('==');
  return packages[name] !== undefined && (version === undefined || packages[name] === version);
}

/** A call that was approved to look does not build. */
function basisOf(found: Found): Readonly<Record<string, string>> {
  return { environment: found.kind === 'build' ? found.build.folder : 'nothing is installed' };
}

function describeBuild(
  { packagePolicy: { sourceBuilds, wheelDirectory } }: MlParts,
  { wanted, source, folder, base, uv }: EnvironmentBuild,
): string {
  const kind = sourceBuilds
    ? 'wheels, and packages whose build scripts run on this machine outside of the sandbox'
    : 'wheels only: no script of a package runs on this machine';
  return [
    `installs  ${wanted.join(', ')}, and what they need`,
    `from      ${source} (${wheelDirectory === undefined ? 'over the network; ' : 'no network; '}${kind})`,
    `into      ${folder}`,
    `with      ${base.path} (${base.version}), ${uv ?? 'venv and pip'}`,
    'then imports them once, in the sandbox and without network',
  ].join('\n');
}
