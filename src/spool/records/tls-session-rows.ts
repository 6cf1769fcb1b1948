/** The row that failures of a domain are added to which has too many hosts. */
import type { TlsSessions } from "../port/tls-sessions.ts";

export const withoutHosts = (row: TlsSessions): TlsSessions => ({ ...row, mx: "", receivingIp: "", sendingIp: "" });
