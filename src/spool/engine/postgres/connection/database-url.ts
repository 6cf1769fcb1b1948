/**
 * Reads DATABASE_URL, a connection URI of libpq (PostgreSQL's documentation, "Connection URIs"), for the driver. It is stricter
 * than libpq where that would accept a wrong server (see `tlsMode`). Whether the server may be used is decided by
 * server-checks.ts.
 *
 * The driver's own parser is not used: it takes sslmode=require for verify-full, with a warning that this will change, and
 * accepts any parameter.
 */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { type ConnectionOptions, createSecureContext } from "node:tls";
import type { ClientConfig } from "pg";
import { errorText, systemReason } from "../../../../lib/error-text.ts";

export interface DatabaseAddress {
  /** For every connection. The password is a function, so that no log line and no dump of the object shows it. */
  config: ClientConfig;
  /** The same address without the password and the files, for logs; with sslmode where TLS is used. */
  safeUrl: string;
}

const FORM = "postgres://USER:PASSWORD@HOST:PORT/DATABASE";

/**
 * The parts of the URI. An unencoded @, / or ? in a password would move the borders between them, and a fault could then show
 * a part of the password as the host. So @ and # may appear nowhere else.
 */
const URI = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^@/?#]*))?(?:\?([^@#]*))?$/;

/** An IPv6 address in brackets, or a name, an IPv4 address or a percent-encoded directory; and a port. */
const HOST_AND_PORT = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d*))?$/;

/** All others are rejected, as libpq rejects those that it does not know. */
const PARAMETERS = [
  // A directory is that of the server's Unix-domain socket.
  "host",
  "port",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "application_name",
  "connect_timeout",
  "options",
] as const;

type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>;

const PORT = 5432;
const PORT_MAX = 65_535;

const CONNECT_SECONDS = 5;
const CONNECT_SECONDS_MAX = 300;

/**
 * A node that is stopped or cut off in a transaction would hold its row locks until its connection ends. Shorter than a lease,
 * so that the locks are free when other nodes take over its work.
 */
export const IDLE_IN_TRANSACTION_MAX_MS = 5000;

/** Without its own keepalives, the server keeps the sessions of a vanished host for two hours. */
const KEEPALIVES = "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3";
const KEEPALIVE_IDLE_MS = 30_000;

/**
 * The planner's estimates count every partition, although a statement reads one or two: the server would compile short
 * statements, which takes it hundreds of milliseconds.
 */
const NO_COMPILATION = "-c jit=off";

const fault = (text: string): Error => new Error(`DATABASE_URL ${text}`);

/** Throws one line that names the fault, without the password. Reads the files of sslrootcert, sslcert and sslkey. */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const [, userInfo = "", hostPort = "", path = "", query = ""] = partsOf(url);
  const parameters = parametersOf(query);
  const { user, password } = credentials(userInfo);
  const { host, port } = server(hostPort, parameters);
  const database = decoded(path, "database") || user;
  const mode = tlsMode(parameters);
  const config: ClientConfig = {
    user,
    host,
    port,
    database,
    ssl: mode === "disable" ? false : tlsOptions(mode, parameters, host),
    application_name: parameters.application_name ?? "postrider",
    connectionTimeoutMillis: whole(parameters, "connect_timeout", CONNECT_SECONDS, CONNECT_SECONDS_MAX) * 1000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_IDLE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MAX_MS,
    options: [KEEPALIVES, NO_COMPILATION, parameters.options].filter(Boolean).join(" "),
  };
  if (password !== null) config.password = () => password;
  const shownHost = host.includes(":") ? `[${host}]` : encodeURIComponent(host);
  const shownName = `${encodeURIComponent(user)}@${shownHost}:${port}/${encodeURIComponent(database)}`;
  return { config, safeUrl: `postgres://${shownName}${mode === "disable" ? "" : `?sslmode=${mode}`}` };
}

function partsOf(url: string): RegExpExecArray {
  if (!/^postgres(ql)?:\/\//.test(url)) throw fault("must begin with postgres:// or postgresql://");
  const parts = /\s/.test(url) ? null : URI.exec(url);
  if (parts === null) {
    throw fault(`is not of the form ${FORM}: percent-encode @ : / ? # % and spaces in the user name and the password`);
  }
  return parts;
}

function parametersOf(query: string): Parameters {
  const parameters: Parameters = {};
  for (const pair of query.split("&").filter((text) => text !== "")) {
    const [name = "", ...values] = pair.split("=");
    const known = PARAMETERS.find((parameter) => parameter === name);
    if (known === undefined) throw fault(unknownParameter(name));
    if (values.length === 0) throw fault(`has a parameter ${name} without a value: write ${name}=VALUE`);
    parameters[known] = decoded(values.join("="), known);
  }
  return parameters;
}

/** A name that is not a word may be a part of a value, so it is not shown. */
function unknownParameter(name: string): string {
  if (name === "password")
    return "has a parameter password: write it before the host, as in postgres://USER:PASSWORD@HOST";
  const shown = /^[a-z_]{1,30}$/.test(name) ? `the parameter ${name}` : "a parameter";
  return `has ${shown}, which is not supported: use ${PARAMETERS.join(", ")}`;
}

/** Never shows the text. */
function decoded(text: string, what: string): string {
  let value: string;
  try {
    value = decodeURIComponent(text);
  } catch {
    throw fault(`has a ${what} with a % that is not followed by two hexadecimal digits of UTF-8: write % as %25`);
  }
  if (/\p{Cc}/u.test(value)) throw fault(`has a ${what} with a control character`);
  return value;
}

function credentials(userInfo: string): { user: string; password: string | null } {
  const colon = userInfo.indexOf(":");
  const user = decoded(colon < 0 ? userInfo : userInfo.slice(0, colon), "user name");
  if (user === "") throw fault(`names no user: write ${FORM}`);
  return { user, password: colon < 0 ? null : decoded(userInfo.slice(colon + 1), "password") };
}

function server(hostPort: string, parameters: Parameters): { host: string; port: number } {
  if (`${hostPort}${parameters.host ?? ""}`.includes(",")) {
    throw fault("names several hosts: name one, which leads to the primary also after a failover");
  }
  const parts = HOST_AND_PORT.exec(hostPort);
  if (parts === null) throw fault(`names a host that is not HOST:PORT: write ${FORM}, and an IPv6 address in brackets`);
  const [, ipv6, name = "", port] = parts;
  const host = parameters.host || ipv6 || decoded(name, "host");
  if (host === "") throw fault(`names no host: write ${FORM}`);
  return { host, port: whole(port ? { port } : parameters, "port", PORT, PORT_MAX) };
}

function whole(parameters: Parameters, name: "port" | "connect_timeout", fallback: number, max: number): number {
  const { [name]: value } = parameters;
  if (!value) return fallback;
  const read = Number(value);
  if (!/^\d+$/.test(value) || read < 1 || read > max) {
    throw fault(`has ${name}=${value}: it must be a whole number from 1 to ${max}`);
  }
  return read;
}

type TlsMode = "disable" | "verify-ca" | "verify-full";

/**
 * `disable` does not use TLS, and is the default unless a certificate is named. `verify-full` verifies the certificate and the
 * host name, and is the default otherwise; without sslrootcert or with sslrootcert=system, public authorities are trusted.
 * `verify-ca` verifies only the certificate, by the file of sslrootcert. `require` is the same if there is that file, as for
 * libpq; without it, and for `allow` and `prefer`, libpq accepts any server, so they are rejected.
 */
function tlsMode({ sslmode, sslrootcert, sslcert, sslkey }: Parameters): TlsMode {
  const hasAuthority = sslrootcert !== undefined && sslrootcert !== "system";
  switch (sslmode) {
    case undefined:
      return sslrootcert === undefined && sslcert === undefined && sslkey === undefined ? "disable" : "verify-full";
    case "disable":
    case "verify-full":
      return sslmode;
    case "require":
    case "verify-ca":
      if (hasAuthority) return "verify-ca";
      throw fault(
        `has sslmode=${sslmode}, which accepts a wrong server: use sslmode=verify-full, or name its certificate authority by sslrootcert=FILE`,
      );
    case "allow":
    case "prefer":
      throw fault(`has sslmode=${sslmode}, which may not encrypt: use sslmode=verify-full, or sslmode=disable`);
    default:
      throw fault(`has sslmode=${sslmode}: it must be disable, require, verify-ca or verify-full`);
  }
}

function tlsOptions(mode: TlsMode, parameters: Parameters, host: string): ConnectionOptions {
  if (host.startsWith("/")) throw fault("asks for TLS on a Unix-domain socket, which does not need it: remove sslmode");
  const { sslrootcert = "system", sslcert, sslkey } = parameters;
  if ((sslcert === undefined) !== (sslkey === undefined)) {
    throw fault("has one of sslcert and sslkey: a client certificate needs both");
  }
  const options: ConnectionOptions = {};
  if (sslrootcert !== "system") options.ca = certificateFile("sslrootcert", sslrootcert);
  if (sslcert !== undefined && sslkey !== undefined) {
    options.cert = certificateFile("sslcert", sslcert);
    options.key = contentOf("sslkey", sslkey);
    checkPair(options, parameters);
  }
  if (mode === "verify-ca") options.checkServerIdentity = () => undefined;
  return options;
}

function contentOf(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw fault(`has ${name}=${file}, which cannot be read: ${systemReason(error)}`);
  }
}

/** TLS ignores an authority that it cannot read, and would later distrust the server. */
function certificateFile(name: string, file: string): string {
  const content = contentOf(name, file);
  try {
    new X509Certificate(content);
  } catch (error) {
    throw fault(`has ${name}=${file}, which is not a certificate in PEM: ${errorText(error)}`);
  }
  return content;
}

function checkPair(options: ConnectionOptions, { sslkey, sslcert }: Parameters): void {
  try {
    createSecureContext(options);
  } catch (error) {
    throw fault(`has sslkey=${sslkey}, which is not the key in PEM of sslcert=${sslcert}: ${errorText(error)}`);
  }
}
