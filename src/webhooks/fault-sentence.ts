/** Explains to the owner of an endpoint why there was no response. Only the error's code is shown: its text may have more. */

const SENTENCES: Record<string, string> = {
  ECONNREFUSED: "The endpoint refused the connection.",
  ECONNRESET: "The connection was closed before a response arrived.",
  EPIPE: "The connection was closed before a response arrived.",
  ETIMEDOUT: "The endpoint could not be reached: the connection timed out.",
  EHOSTUNREACH: "The endpoint could not be reached: there is no route to its address.",
  ENETUNREACH: "The endpoint could not be reached: there is no route to its address.",
  HPE_HEADER_OVERFLOW: "The header of the response is too large.",
  CERT_HAS_EXPIRED: "The endpoint's TLS certificate has expired.",
  CERT_NOT_YET_VALID: "The endpoint's TLS certificate is not valid yet.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The endpoint's TLS certificate is for another host name.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The endpoint's TLS certificate is self-signed.",
  SELF_SIGNED_CERT_IN_CHAIN: "The endpoint's TLS certificate is from an authority that is not trusted.",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "The endpoint's TLS certificate is from an authority that is not trusted, or an intermediate certificate is missing.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "The endpoint's TLS certificate is from an authority that is not trusted, or an intermediate certificate is missing.",
};

/** A sentence about an error of node:http, node:https or a socket. */
export function faultSentence({ code = "no code" }: NodeJS.ErrnoException): string {
  const sentence = SENTENCES[code];
  if (sentence !== undefined) return sentence;
  if (code.startsWith("HPE_")) return `The response is not valid HTTP (${code}).`;
  if (code === "EPROTO" || code.startsWith("ERR_SSL_")) return `The TLS handshake failed (${code}).`;
  return `The webhook could not be sent (${code}).`;
}
