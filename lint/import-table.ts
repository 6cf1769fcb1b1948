/**
 * Which folder of src/ may import which. Whatever the table does not allow is denied. A file belongs to the longest key that
 * is a prefix of its path; files at the root of src/ are programs, except config.ts. The order is that of the layers: a
 * folder imports only folders further down. `npm run check` enforces the table (check-imports.ts).
 */

/** Folders that hold no decision of Postrider's own. */
const GROUND = ["message", "security", "lib"];
const SPOOL_PORT = ["spool/port", ...GROUND];
const USE_CASES = ["app", "domains", "doctor", "dns", ...SPOOL_PORT];

export const IMPORT_TABLE: Record<string, readonly string[]> = {
  programs: ["app/wiring", "app", "config", "testing", "domains", "dns", "spool/port", "security", "lib"],
  "app/wiring": [
    "app",
    "config",
    "http",
    "http/overload",
    "http/response",
    "dashboard",
    "dashboard/web",
    "cli",
    "delivery/dispatch",
    "delivery/routing",
    "delivery/throttle",
    "delivery/tls",
    "delivery/signing",
    "delivery/smtp",
    "domains",
    "doctor",
    "spool/sqlite",
    "dns",
    ...SPOOL_PORT,
  ],

  http: ["http/overload", "http/response", "app", ...SPOOL_PORT],
  "http/overload": ["http/response", "app", "spool/port", "lib"],
  "http/response": ["app", "spool/port", "message", "lib"],
  dashboard: ["dashboard/pages", "dashboard/views", "dashboard/auth", "dashboard/web", ...SPOOL_PORT],
  "dashboard/pages": ["dashboard/views", "dashboard/auth", "dashboard/web", "app", "domains", "doctor", ...SPOOL_PORT],
  "dashboard/views": ["dashboard/auth", "dashboard/web", "app", "domains", "doctor", ...SPOOL_PORT],
  "dashboard/auth": ["dashboard/web", ...SPOOL_PORT],
  "dashboard/web": ["app", "domains", ...SPOOL_PORT],
  cli: ["config", ...USE_CASES],

  app: ["domains", "doctor", "dns", ...SPOOL_PORT],
  config: GROUND,

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
  "delivery/routing": ["dns", "lib"],
  "delivery/smtp": ["message", "lib"],
  domains: ["dns", ...SPOOL_PORT],

  "spool/sqlite": ["spool/scheduler", ...SPOOL_PORT],
  "spool/scheduler": SPOOL_PORT,
  "spool/port": ["message", "lib"],

  testing: ["dns", "message", "lib"],
  dns: ["lib"],
  security: ["lib"],
  message: [],
  lib: [],
};
