/** The parts that tests use; the package has no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface StoredToken {
    readonly accountId: string;
    readonly scope?: string;
    readonly aud: string | readonly string[];
    readonly isExpired: boolean;
  }

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    proxy: boolean;
    callback(): RequestListener;
    on(event: string, listener: (...args: readonly unknown[]) => void): void;
    readonly AccessToken: { find(token: string): Promise<StoredToken | undefined> };
  }
}
