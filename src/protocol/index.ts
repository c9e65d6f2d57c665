export { IdTable } from './id-table.ts';
export { judgeEra, metaKey, metaOf, unsupportedVersion } from './envelope.ts';
export {
  decodeMessage,
  decodeWithText,
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResult,
  encodeResultText,
  isRecord,
  wireJson,
  type Batch,
  type Malformed,
  type Message,
  type Notification,
  type Params,
  type Request,
  type RequestId,
  type Response,
} from './message.ts';
export {
  checkMirroredHeaders,
  checkParamHeaders,
  checkSentHeaders,
  encodeHeaderValue,
  findParamHeaders,
  paramHeaders,
  type ParamHeader,
} from './mirrored-headers.ts';
export { bareWireName, dottedName, hashedWireName, shortPrefix, wireName } from './names.ts';
export { LineReader, type LongLine } from './line-reader.ts';
export { asObjectSchema, namedTypes, withObjectProperties } from './object-schema.ts';
export { defaultJsonLimits, type JsonLimits } from './parse-json.ts';
export { oneLine, rawItems, rawMember } from './raw-member.ts';
export { rpcErrorCode, type RpcError } from './rpc-error.ts';
export {
  allowsBatches,
  findHandshakeVersion,
  handshakeVersions,
  negotiateVersion,
  newestHandshakeVersion,
  statelessVersions,
  supportedVersions,
  type Era,
  type HandshakeVersion,
} from './version.ts';
