import { expect, it } from 'vitest';
import {
  allowsBatches,
  findHandshakeVersion,
  handshakeVersions,
  negotiateVersion,
} from './version.ts';

it('answers initialize with the version asked for, or with the newest', () => {
  for (const version of handshakeVersions) expect(negotiateVersion(version)).toBe(version);
  expect(negotiateVersion('1999-01-01')).toBe('2025-11-25');
  expect(negotiateVersion('2026-07-28')).toBe('2025-11-25');
});

it('knows only versions that open with a handshake', () => {
  expect(findHandshakeVersion('2026-07-28')).toBeUndefined();
  expect(findHandshakeVersion(undefined)).toBeUndefined();
});

it('takes batches from the two versions that define them', () => {
  expect(handshakeVersions.filter(allowsBatches)).toEqual(['2025-03-26', '2024-11-05']);
});
