/** Whether a certificate verifies by the trust anchors, for the name of a mail host. */
import type { MailHost } from "../routing/route.ts";
import type { PeerCheck } from "../smtp/tls.ts";

/** The check returns why a peer does not pass; null if it does. */
export const webpkiObjection =
  (host: Pick<MailHost, "name">): PeerCheck =>
  ({ serverName, verificationError }) => {
    if (serverName !== host.name) return `its certificate was asked for as ${serverName}`;
    return verificationError === null ? null : `its certificate does not verify (${verificationError})`;
  };
