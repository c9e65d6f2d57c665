import type { SandboxProgram } from '../../contract/sandbox/index.ts';
import type { SandboxJob } from '../driver.ts';

const plainMode = 0o644;
const executableMode = 0o755;
const lengthDigits = 8;
const encoder = new TextEncoder();

/** A file as it is sent to a boot. */
interface JobFile {
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

/** A word as every shell reads it. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function withLength(header: Uint8Array): Uint8Array {
  const length = header.length.toString(16).padStart(lengthDigits, '0');
  return Buffer.concat([encoder.encode(length), header]);
}

function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? encoder.encode(content) : content;
}

const blockBytes = 512;
/** Longer names come in an entry of their own before the file, as GNU tar does it. */
const maxNameBytes = 100;

/** An archive of regular files; folders come into being with them. */
export function encodeTar(files: readonly JobFile[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const { path, bytes, mode } of files) {
    const name = Buffer.from(path);
    if (name.length > maxNameBytes) {
      const longName = Buffer.concat([name, Buffer.alloc(1)]);
      parts.push(header(Buffer.from('././@LongLink'), longName.length, { mode, type: 'L' }));
      parts.push(...padded(longName));
    }
    parts.push(header(name.subarray(0, maxNameBytes), bytes.length, { mode, type: '0' }));
    parts.push(...padded(bytes));
  }
  parts.push(Buffer.alloc(2 * blockBytes));
  return Buffer.concat(parts);
}

interface EntryKind {
  readonly mode: number;
  readonly type: '0' | 'L';
}

function header(name: Uint8Array, size: number, { mode, type }: EntryKind): Uint8Array {
  const block = Buffer.alloc(blockBytes);
  block.set(name, 0);
  block.write(octal(mode, 7), 100, 'latin1');
  block.write(octal(0, 7), 108, 'latin1');
  block.write(octal(0, 7), 116, 'latin1');
  block.write(octal(size, 11), 124, 'latin1');
  block.write(octal(Math.floor(Date.now() / 1000), 11), 136, 'latin1');
  block.write(type, 156, 'latin1');
  block.write('ustar  ', 257, 'latin1');
  // The sum is taken with spaces in the place of the sum itself.
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
  return block;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function padded(bytes: Uint8Array): Uint8Array[] {
  const rest = bytes.length % blockBytes;
  return rest === 0 ? [bytes] : [bytes, Buffer.alloc(blockBytes - rest)];
}
