import inheritedVariables from './inherited-variables.json' with { type: 'json' };
import type { ServerLaunch, ServerLogin } from '../contract/fleet/index.ts';
import type { McpServerEntry } from '../contract/settings/index.ts';
import { Secret } from '../kernel/index.ts';
import { UnresolvedReferenceError } from './errors.ts';
import { resolvePath, type Surroundings } from './locate.ts';
import { decodeText, readBytes } from './locked-file.ts';

/**
 * What it takes to start or reach a server, with variables and files filled in as they are now.
 * Throws `UnresolvedReferenceError`, which names the entry and the key and shows no value.
 */
export async function launchServer(
  name: string,
  settings: McpServerEntry,
  around: Surroundings,
): Promise<ServerLaunch> {
  const fill = async (key: string, text: string): Promise<string> => {
    const filled = await fillReferences(text, {
      env: around.env,
      resolvePath: (path) => resolvePath(around, around.cwd, path),
    });
    if (filled.kind === 'unfilled') throw new UnresolvedReferenceError({ name, key, ...filled });
    // Refused here, because the system would refuse it with the value in its message.
    if (filled.text.includes('\0')) {
      const reason = 'what it stands for holds a NUL character';
      throw new UnresolvedReferenceError({ name, key, reference: referencesText(text), reason });
    }
    return filled.text;
  };
  const fillMap = async (
    key: string,
    map: Readonly<Record<string, Secret>>,
  ): Promise<Record<string, string>> => {
    const entries: [string, string][] = [];
    for (const [inner, value] of Object.entries(map)) {
      entries.push([inner, await fill(`${key}.${inner}`, value.reveal())]);
    }
    return Object.fromEntries(entries);
  };

  if (settings.command !== undefined) {
    const args: string[] = [];
    for (const [index, arg] of settings.args.entries()) args.push(await fill(`args.${index}`, arg));
    return {
      transport: 'stdio',
      command: await fill('command', settings.command),
      args,
      // Not the current folder: package runners and interpreters take code from where they start, and
      // that may be an untrusted project.
      cwd: resolvePath(around, around.cwd, await fill('cwd', settings.cwd ?? '~')),
      env: { ...inheritedEnvironment(around), ...(await fillMap('env', settings.env)) },
    };
  }
  const url = await fill('url', settings.url ?? '');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    const reason = 'what it stands for is no http or https address';
    const reference = referencesText(settings.url ?? '');
    throw new UnresolvedReferenceError({ name, key: 'url', reference, reason });
  }
  const transport = settings.type === 'sse' ? 'sse' : 'http';
  const headers = await fillMap('headers', settings.headers);
  if (!settings.login) return { transport, url, headers };
  return { transport, url, headers, login: await fillLogin(settings.login, fill) };
}

/** Only its secrets may refer to variables and files. */
async function fillLogin(
  { clientSecret, exchange, ...rest }: NonNullable<McpServerEntry['login']>,
  fill: (key: string, text: string) => Promise<string>,
): Promise<ServerLogin> {
  const fillSecret = async (key: string, secret: Secret): Promise<Secret> =>
    new Secret(await fill(`login.${key}`, secret.reveal()));
  return {
    ...rest,
    ...(clientSecret && { clientSecret: await fillSecret('clientSecret', clientSecret) }),
    ...(exchange && {
      exchange: {
        ...exchange,
        subjectToken: await fillSecret('exchange.subjectToken', exchange.subjectToken),
        ...(exchange.actorToken && {
          actorToken: await fillSecret('exchange.actorToken', exchange.actorToken),
        }),
      },
    }),
  };
}

/** The references in a text, without what stands around them, which may be secret. */
function referencesText(text: string): string {
  return referencesIn(text)
    .map((reference) => `\${${reference}}`)
    .join('');
}

/** The variables that a program gets without being named in its entry: those it needs to run, and no secrets. */
function inheritedEnvironment({ env, platform }: Surroundings): Record<string, string> {
  const isWindows = platform === 'win32';
  const allowed = new Set(isWindows ? inheritedVariables.windows : inheritedVariables.posix);
  const inherited: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    // Windows knows `Path` and `PATH` as one.
    const isAllowed = allowed.has(isWindows ? name.toUpperCase() : name);
    if (isAllowed && value !== undefined) inherited[name] = value;
  }
  return inherited;
}

/** A secret's file longer than this is not one. */
const maxReferencedBytes = 65_536;

const referencePattern = /\$\$\{|\$\{([^{}]{0,1024})\}/g;
const variablePattern = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]{0,255})(?::-(.*))?$/s;

/** Where references lead: variables by name, files by a path as it is written. */
interface ReferenceSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly resolvePath: (path: string) => string;
}

/** Why a reference stands for nothing. */
interface UnfilledReference {
  /** Without the text after `:-`, which may be a secret. */
  readonly reference: string;
  readonly reason: string;
}

type Filled =
  | { readonly kind: 'filled'; readonly text: string }
  | ({ readonly kind: 'unfilled' } & UnfilledReference);

/**
 * The text with each `${NAME}`, `${env:NAME}`, `${NAME:-otherwise}` and `${file:/path}` replaced by
 * what it stands for, and `$${` by `${`.
 */
async function fillReferences(text: string, sources: ReferenceSources): Promise<Filled> {
  let filled = '';
  let end = 0;
  for (const match of text.matchAll(referencePattern)) {
    filled += text.slice(end, match.index);
    end = match.index + match[0].length;
    const [, inner] = match;
    if (inner === undefined) {
      filled += '${';
      continue;
    }
    const value = await lookUp(inner, sources);
    if (value.kind === 'unfilled') return value;
    filled += value.text;
  }
  return { kind: 'filled', text: filled + text.slice(end) };
}

/** What a text refers to: `GITHUB_TOKEN`, `file:/run/secret`. */
export function referencesIn(text: string): string[] {
  return [...text.matchAll(referencePattern)].flatMap(([, inner]) => {
    if (inner === undefined) return [];
    return [variablePattern.exec(inner)?.[1] ?? inner];
  });
}

async function lookUp(inner: string, sources: ReferenceSources): Promise<Filled> {
  if (inner.startsWith('file:')) return readReferenced(inner.slice('file:'.length), sources);
  const [, name, otherwise] = variablePattern.exec(inner) ?? [];
  if (name === undefined) {
    const reason = 'that is neither a variable nor a file; write $${ where ${ itself is meant';
    const [shown = ''] = inner.split(':-', 1);
    return { kind: 'unfilled', reference: `\${${shown}}`, reason };
  }
  const value = (Object.hasOwn(sources.env, name) ? sources.env[name] : undefined) ?? '';
  if (value !== '') return { kind: 'filled', text: value };
  if (otherwise !== undefined) return { kind: 'filled', text: otherwise };
  const reason = `the environment variable ${name} is not set`;
  return { kind: 'unfilled', reference: `\${${name}}`, reason };
}

async function readReferenced(path: string, sources: ReferenceSources): Promise<Filled> {
  const unfilled = (reason: string): Filled => ({
    kind: 'unfilled',
    reference: `\${file:${path}}`,
    reason,
  });
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readBytes(sources.resolvePath(path), maxReferencedBytes + 1);
  } catch (error) {
    return unfilled(error instanceof Error ? error.message : String(error));
  }
  if (bytes === undefined) return unfilled('there is no such file');
  if (bytes.length > maxReferencedBytes) {
    return unfilled(`the file is larger than ${maxReferencedBytes} bytes`);
  }
  const text = decodeText(bytes);
  return text === undefined
    ? unfilled('the file is not UTF-8 text')
    : { kind: 'filled', text: text.replace(/\r?\n$/, '') };
}
