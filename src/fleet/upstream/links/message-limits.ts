import { defaultJsonLimits, type JsonLimits } from '../../../protocol/index.ts';

/**
 * What one message of a server may be. Large enough for a file in base64; what is larger is skipped
 * while it arrives and never held.
 */
export const defaultMessageLimits: JsonLimits = {
  maxBytes: 32 * 1024 * 1024,
  maxDepth: defaultJsonLimits.maxDepth,
};
