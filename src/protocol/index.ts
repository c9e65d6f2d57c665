export { judgeEra, metaKey, metaOf, unsupportedVersion } from './envelope.ts';
export {
  decodeMessage,
  encodeError,
  encodeNotification,
  encodeResult,
  isRecord,
  type Batch,
  type Malformed,
  type Message,
  type Notification,
  type Params,
  type Request,
  type RequestId,
} from './message.ts';
export {
  checkMirroredHeaders,
  checkParamHeaders,
  findParamHeaders,
  type ParamHeader,
} from './mirrored-headers.ts';
export { bareWireName, dottedName, wireName } from './names.ts';
export { defaultJsonLimits } from './parse-json.ts';
export { rpcErrorCode, type RpcError } from './rpc-error.ts';
export {
  allowsBatches,
  findHandshakeVersion,
  handshakeVersions,
  negotiateVersion,
  newestHandshakeVersion,
  statelessVersions,
  type Era,
  type HandshakeVersion,
} from './version.ts';
