import type { SandboxProgram } from '../../contract/sandbox/index.ts';
import type { SandboxJob } from '../driver.ts';
import { encodeTar } from './encode-tar.ts';

const plainMode = 0o644;
const executableMode = 0o755;
const lengthDigits = 8;
const encoder = new TextEncoder();

/** A file as it is told to a boot. */
export interface JobFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/**
 * A job as the boot of its kind reads it: length of the header, header, files. The program's own input
 * comes last; the end of the stream is the end of that input.
 */
export function encodeJob(job: SandboxJob): Uint8Array[] {
  const files = filesOf(job);
  const stdin = toBytes(job.stdin);
  if (job.program.kind === 'command') {
    const tar = files.length === 0 ? new Uint8Array() : encodeTar(files);
    const header = encoder.encode(commandScript(job.program.argv, job.env, tar.length));
    return [withLength(header), tar, stdin];
  }
  const header = encoder.encode(interpreterHeader(job.program, job.env, files));
  return [withLength(header), ...files.map((file) => file.bytes), stdin];
}

/** A script is given the right to be executed, because nothing else can say so. */
export function filesOf(job: SandboxJob): JobFile[] {
  return Object.entries(job.files).map(([path, content]) => {
    const bytes = toBytes(content);
    const isScript = bytes[0] === 0x23 && bytes[1] === 0x21;
    return { path, bytes, mode: isScript ? executableMode : plainMode };
  });
}

/** JSON, and because it holds strings and numbers only, a literal of Python with the same meaning. */
function interpreterHeader(
  program: Exclude<SandboxProgram, { kind: 'command' }>,
  env: Readonly<Record<string, string>>,
  files: readonly JobFile[],
): string {
  return JSON.stringify({
    main: program.main,
    args: program.args,
    env,
    files: files.map(({ path, bytes, mode }) => [path, bytes.length, mode]),
  });
}

function commandScript(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  tarBytes: number,
): string {
  const unpack = tarBytes === 0 ? '' : `head -c ${tarBytes} | tar -xf - || exit 125\n`;
  // Through env(1), because a shell has no names such as "npm.config" and would keep its own PWD.
  const assignments = Object.entries(env).map(([name, value]) => quote(`${name}=${value}`));
  const words = argv.map(quote);
  const environment = assignments.length === 0 ? '' : `env ${assignments.join(' ')} `;
  return `${unpack}exec ${environment}${words.join(' ')}`;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function withLength(header: Uint8Array): Uint8Array {
  const length = header.length.toString(16).padStart(lengthDigits, '0');
  return Buffer.concat([encoder.encode(length), header]);
}

function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? encoder.encode(content) : content;
}
