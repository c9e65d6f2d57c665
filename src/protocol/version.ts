/**
 * MCP has two eras. In the handshake era a client opens with `initialize` and the connection or
 * session remembers what was agreed; in the stateless era every request carries its version and the
 * client's capabilities in `_meta`.
 */
export type Era = 'handshake' | 'stateless';

/** Newest first. */
export const statelessVersions: readonly string[] = ['2026-07-28'];

/** Newest first. */
export const handshakeVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

export type HandshakeVersion = (typeof handshakeVersions)[number];

export const newestHandshakeVersion: HandshakeVersion = handshakeVersions[0];

/** Newest first; versions are dates, so their order is that of their texts. */
export function supportedVersions(minVersion: string): string[] {
  return [...statelessVersions, ...handshakeVersions].filter((version) => version >= minVersion);
}

const versionsWithBatches: readonly HandshakeVersion[] = ['2025-03-26', '2024-11-05'];

export function findHandshakeVersion(version: unknown): HandshakeVersion | undefined {
  return handshakeVersions.find((known) => known === version);
}

/** The version to answer `initialize` with: the requested one if supported, otherwise our newest. */
export function negotiateVersion(requested: string): HandshakeVersion {
  return findHandshakeVersion(requested) ?? newestHandshakeVersion;
}

export function allowsBatches(version: HandshakeVersion): boolean {
  return versionsWithBatches.includes(version);
}
