/**
 * HTTP Strict Transport Security (RFC 6797): where clients reach the service over HTTPS, every answer tells browsers to
 * use nothing else for this host. As the server's class of responses it is also in those that Node answers by itself.
 */
import { type IncomingMessage, ServerResponse } from "node:http";

const NAME = "Strict-Transport-Security";
/** A year. Other names of the domain are not ours to decide on. */
const VALUE = "max-age=31536000";

/** The field's line, for an answer that is written by hand. */
export const STRICT_TRANSPORT_LINE = `${NAME}: ${VALUE}`;

export class StrictTransportResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  constructor(...args: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...args);
    this.setHeader(NAME, VALUE);
  }
}
