import { decodeText, readBytes } from './read-bytes.ts';

/** A secret's file longer than this is not one. */
const maxReferencedBytes = 65_536;

const referencePattern = /\$\$\{|\$\{([^{}]{0,1024})\}/g;
const variablePattern = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]{0,255})(?::-(.*))?$/s;

/** Where references lead: variables by name, files by a path as it is written. */
export interface ReferenceSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly resolvePath: (path: string) => string;
}

/** Why a reference stands for nothing. */
export interface UnfilledReference {
  /** Without the text after `:-`, which may be a secret. */
  readonly reference: string;
  readonly reason: string;
}

export type Filled =
  | { readonly kind: 'filled'; readonly text: string }
  | ({ readonly kind: 'unfilled' } & UnfilledReference);

/**
 * The text with each `${NAME}`, `${env:NAME}`, `${NAME:-otherwise}` and `${file:/path}` replaced by
 * what it stands for, and `$${` by `${`.
 */
export async function fillReferences(text: string, sources: ReferenceSources): Promise<Filled> {
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
