import { z } from 'zod';
import type { Toolchain } from '../driver.ts';
import { ToolchainMissingError } from '../errors.ts';
import type { ContainerImage } from './container-spec.ts';
import { type DockerApi, DockerRequestError } from './docker-api.ts';
import { languages, toolchainNames } from '../toolchains/languages.ts';

const imageSchema = z.looseObject({
  Id: z.string(),
  Config: z
    .looseObject({
      Env: z.array(z.string()).nullish(),
      Volumes: z.record(z.string(), z.unknown()).nullish(),
    })
    .nullish(),
});

/** An image that the engine has. */
export interface FoundImage extends ContainerImage {
  readonly id: string;
  /** Folders that its author put into PATH. */
  readonly searchPath: readonly string[];
}

/** Images are never pulled: what runs, and from where, is the user's choice. */
export async function findImage(
  api: DockerApi,
  name: string,
  toolchain: string,
): Promise<FoundImage> {
  let answer: unknown;
  try {
    answer = await api.call({ method: 'GET', path: `/images/${encodeURI(name)}/json` });
  } catch (error) {
    if (!(error instanceof DockerRequestError && error.status === 404)) throw error;
    throw new ToolchainMissingError(toolchain, {
      problem: `the container engine has no image "${name}", which "${toolchain}" is set to run in`,
      install: `Get it: docker pull ${name}`,
    });
  }
  const { Id: id, Config: config } = imageSchema.parse(answer);
  const path = config?.Env?.find((line) => line.startsWith('PATH='))?.slice('PATH='.length) ?? '';
  return {
    name,
    id,
    volumes: Object.keys(config?.Volumes ?? {}),
    searchPath: path.split(':').filter((folder) => folder.startsWith('/')),
  };
}

/** Every image we can use has one: it waits for the job of a `command`. */
export function shellToolchain(image: FoundImage): Toolchain {
  return {
    name: 'shell',
    version: 'posix',
    program: '/bin/sh',
    mounts: [],
    searchPath: image.searchPath,
    env: {},
  };
}

/**
 * The toolchain of a language in an image; `python:pytest,coverage` must have these modules. `ask` runs a script in it and says what it wrote; null when
 * the script failed.
 */
export async function examineImage(
  name: string,
  image: FoundImage,
  ask: (script: string) => Promise<string | null>,
): Promise<Toolchain> {
  const shell = shellToolchain(image);
  if (name === 'shell') return shell;
  const [languageName = '', modules] = name.split(':', 2);
  const language = languages[languageName];
  // What is asked for becomes part of a line for the shell.
  if (!language || (modules !== undefined && !/^[a-z0-9_,]+$/.test(modules))) {
    throw new ToolchainMissingError(name, {
      problem: `there is no toolchain "${name}" in containers`,
      install: `Choose one of ${toolchainNames.join(', ')}`,
    });
  }
  const { program, versionArguments, env } = language;
  const question = versionArguments.join(' ');
  const told = await ask(`command -v ${program} && ${program} ${question} 2>&1`);
  const [path = '', said = ''] = told?.split('\n') ?? [];
  const version = /\d+(?:\.\d+)+/.exec(said)?.[0];
  if (!path.startsWith('/') || version === undefined) {
    throw new ToolchainMissingError(name, {
      problem: `the image "${image.name}" has no ${program} in ${image.searchPath.join(':')}`,
      install: `Set "sandbox.docker.images.${languageName}" to an image that has it`,
    });
  }
  if (
    modules !== undefined &&
    (await ask(`${program} -c 'import ${modules}' && echo all`)) === null
  ) {
    throw new ToolchainMissingError(name, {
      problem: `the Python of the image "${image.name}" has not all of ${modules}`,
      install: `Set "sandbox.docker.images.${languageName}" to an image that has them`,
    });
  }
  return { ...shell, name, version, program: path, env };
}
