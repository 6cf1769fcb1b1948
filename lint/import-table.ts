/**
 * The allowed imports between the folders of src/; all others are denied. A file belongs to the longest key that is a
 * prefix of its path. Files at the root of src/ are programs, except config.ts. Keys are in layer order: a folder
 * imports only later ones. check-imports.ts enforces the table as part of `npm run check`.
 */

/** Folders without policy of Postrider. */
const GROUND = ["receivers", "message", "security", "lib"];
const SPOOL_PORT = ["spool/port", ...GROUND];
const USE_CASES = ["app", "domains", "doctor", "dmarc", "dns", ...SPOOL_PORT];

export const IMPORT_TABLE: Record<string, readonly string[]> = {
  programs: ["service", "app", "config", "workers", "testing", "domains", "dns", "spool/port", "security", "lib"],
  service: [
    "app",
    "config",
    "testing",
    "webhooks",
    "tls-reports",
    "acme",
    "http",
    "http/manage",
    "http/overload",
    "http/response",
    "submission",
    "inbound",
    "smtp-server",
    "dashboard",
    "dashboard/web",
    "cli",
    "identity",
    "delivery/dispatch",
    "delivery/routing",
    "delivery/throttle",
    "delivery/tls",
    "delivery/signing",
    "delivery/smtp",
    "domains",
    "doctor",
    "spool/copy",
    "spool/engine/sqlite",
    "spool/engine/postgres",
    "spool/schema",
    "dns",
    ...SPOOL_PORT,
  ],

  cli: ["mcp", "prove", "config", ...USE_CASES],
  // It knows the service as a process alone.
  prove: ["testing", "doctor", "lib"],
  mcp: ["http", "http/manage", "http/request", "http/response", "config", "message", "lib"],

  http: ["compat/resend", "http/manage", "http/overload", "http/request", "http/response", "app", ...SPOOL_PORT],
  // Its domains and keys are those of the management interface.
  "compat/resend": ["http/manage", "http/request", "http/response", "app", "domains", ...SPOOL_PORT],
  "http/manage": ["http/overload", "http/request", "http/response", "app", "domains", ...SPOOL_PORT],
  "http/overload": ["http/response", "app", "spool/port", "lib"],
  "http/request": ["http/response", "message", "lib"],
  "http/response": ["app", "spool/port", "message", "lib"],
  submission: ["smtp-server", "app", ...SPOOL_PORT],
  inbound: ["smtp-server", "app", ...SPOOL_PORT],
  "smtp-server": SPOOL_PORT,
  dashboard: ["dashboard/pages", "dashboard/views", "dashboard/auth", "dashboard/web", ...SPOOL_PORT],
  "dashboard/pages": [
    "dashboard/views",
    "dashboard/auth",
    "dashboard/web",
    "identity",
    "app",
    "domains",
    "doctor",
    ...SPOOL_PORT,
  ],
  "dashboard/views": ["dashboard/auth", "dashboard/web", "app", "domains", "doctor", ...SPOOL_PORT],
  "dashboard/auth": ["dashboard/web", "identity", ...SPOOL_PORT],
  "dashboard/web": ["identity", "app", "domains", ...SPOOL_PORT],

  webhooks: ["app", "dns", ...SPOOL_PORT],
  "tls-reports": ["app", "dns", ...SPOOL_PORT],
  acme: SPOOL_PORT,

  app: ["domains", "doctor", "dmarc", "dns", ...SPOOL_PORT],
  config: SPOOL_PORT,

  doctor: ["domains", "delivery/smtp", "dns", ...SPOOL_PORT],

  "delivery/dispatch": [
    "delivery",
    "delivery/signing",
    "delivery/throttle",
    "delivery/tls",
    "delivery/routing",
    "delivery/smtp",
    "dns",
    ...SPOOL_PORT,
  ],
  delivery: ["delivery/routing", "delivery/smtp", "message"],
  "delivery/signing": SPOOL_PORT,
  "delivery/throttle": ["delivery/smtp", ...SPOOL_PORT],
  "delivery/tls": ["delivery/routing", "delivery/smtp", "dns", ...SPOOL_PORT],
  "delivery/routing": ["spool/port", "receivers", "dns", "lib"],
  "delivery/smtp": ["message", "lib"],
  domains: ["dmarc", "dns", ...SPOOL_PORT],

  "spool/copy": ["spool/engine/sqlite", "spool/engine/postgres", "spool/schema", "spool/records", ...SPOOL_PORT],
  "spool/engine/sqlite": [
    "spool/store",
    "spool/engine",
    "spool/schema",
    "spool/scheduler",
    "spool/records",
    ...SPOOL_PORT,
  ],
  "spool/engine/postgres": [
    "spool/store",
    "spool/engine",
    "spool/schema",
    "spool/scheduler",
    "spool/records",
    ...SPOOL_PORT,
  ],
  "spool/store": ["spool/engine", "spool/records", ...SPOOL_PORT],
  "spool/engine": [...SPOOL_PORT],
  "spool/schema": SPOOL_PORT,
  "spool/scheduler": SPOOL_PORT,
  "spool/records": SPOOL_PORT,
  "spool/port": ["receivers", "message", "lib"],

  testing: ["dmarc", "dns", "message", "lib"],
  workers: ["lib"],
  dmarc: ["dns"],
  dns: ["lib"],
  identity: ["lib"],
  security: ["lib"],
  receivers: [],
  message: [],
  lib: [],
};
