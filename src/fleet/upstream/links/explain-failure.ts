import { type AppError, lookupTable } from '../../../kernel/index.ts';
import { BadAnswerError, ExchangeBrokenError, UnreachableError } from '../../errors.ts';

export interface RequestFailure {
  readonly error: NodeJS.ErrnoException;
  /** Whether the request may have reached the server. */
  readonly wasConnected: boolean;
}

/** What people read for each reason a server cannot be reached; `undefined` for others. */
const reasons: Readonly<Record<string, string>> = lookupTable({
  ECONNREFUSED: 'the connection was refused. Check that the server runs, and its port',
  ENOTFOUND: 'its host name is not known. Check the url, and the network',
  EAI_AGAIN: 'its host name could not be looked up. Check the network',
  EHOSTUNREACH: 'there is no route to its host. Check the url, and the network',
  ENETUNREACH: 'there is no route to its network. Check the network',
  ETIMEDOUT: 'nobody answered at its address. Check the url, and the network',
  CONNECT_TIMEOUT: 'the connection was not made in time. Check the url, and the network',
  EPROTO: 'it does not speak TLS as expected. Check whether the url should begin with http:',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'it does not speak TLS. Check whether the url should begin with http:',
  ERR_SSL_PACKET_LENGTH_TOO_LONG:
    'it does not speak TLS. Check whether the url should begin with http:',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host. Check the url',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned(),
  SELF_SIGNED_CERT_IN_CHAIN: selfSigned(),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: selfSigned(),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: selfSigned(),
});

function selfSigned(): string {
  return 'its certificate is from nobody trusted here. Name its authority in NODE_EXTRA_CA_CERTS';
}

/** Why a request got no response, as an error that says whether it may have been acted upon. */
export function explainFailure(server: string, url: URL, failure: RequestFailure): AppError {
  const { error, wasConnected } = failure;
  const code = error.code ?? 'unknown';
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new BadAnswerError(server, 'the headers of its response are too large');
  }
  if (code.startsWith('HPE_')) return new BadAnswerError(server, 'its response is no HTTP');
  const reason = reasons[code];
  if (!wasConnected) {
    return new UnreachableError(server, url.origin, reason ?? `the connection failed (${code})`);
  }
  if (code === 'HEAD_TIMEOUT') return new ExchangeBrokenError(server, 'it did not respond in time');
  return new ExchangeBrokenError(server, `the connection broke (${code})`);
}
