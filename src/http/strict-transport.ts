/**
 * HTTP Strict Transport Security (RFC 6797), in every response where clients use HTTPS. As the server's response class it also
 * covers responses that Node sends itself.
 */
import { type IncomingMessage, ServerResponse } from "node:http";

const NAME = "Strict-Transport-Security";
/** One year, without includeSubDomains: other names of the domain belong to its owner. */
const VALUE = "max-age=31536000";

/** The field line, for responses that are written by hand. */
export const STRICT_TRANSPORT_LINE = `${NAME}: ${VALUE}`;

export class StrictTransportResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  constructor(...args: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...args);
    this.setHeader(NAME, VALUE);
  }
}
