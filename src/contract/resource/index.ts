/** Schemes of the resources that Tutti's own servers have: no other server is asked for these. */
const ownSchemes: ReadonlySet<string> = new Set([
  'artifact',
  'config',
  'prompts',
  'standards',
  'templates',
]);

/** Whether an address, or a template of addresses, is one of Tutti's own servers. */
export function isOwnAddress(address: string): boolean {
  return ownSchemes.has(/^\s*([^:/?#{]*):/.exec(address)?.[1]?.toLowerCase() ?? '');
}

/** A resource as `resources/list` shows it. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

/** A family of resources whose addresses follow an RFC 6570 template. */
export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** One part of what `resources/read` returns: text, or base64 in `blob`. */
export interface ResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}

/** What `resources/read` returns. */
export interface ResourceResult {
  readonly contents: readonly ResourceContents[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}
