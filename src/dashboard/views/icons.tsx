/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Icons. All are decorative: the text next to each has the same meaning.
 */
import type { Tone } from "./labels.ts";

const PATHS = {
  good: "M13.5 4.5 6.5 11.5 3 8",
  bad: "M4 4l8 8M12 4l-8 8",
  warn: "M8 2.5 14.5 13.5h-13zM8 6.5v3.2M8 11.7v.1",
  wait: "M8 4.5V8l2.5 1.8M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4z",
  quiet: "M4 8h8",
  allow: "M2.5 5.5h6.8a4 4 0 0 1 0 8H5M5.2 2.6 2.5 5.5l2.7 2.9",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  overview: "M2.5 13.5v-5M6.2 13.5v-9M9.8 13.5v-7M13.5 13.5v-11",
  messages: "M1.8 3.5h12.4v9H1.8zM2 4l6 5 6-5",
  domains: "M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4zM1.8 8h12.4M8 1.8c4 4 4 8.4 0 12.4-4-4-4-8.4 0-12.4z",
  keys: "M10.5 8.5a3 3 0 1 0-2.8-2L2 12.2V14h2.5v-1.5H6V11h1.5l1.3-2.7",
  requests: "M2 5.5h11M10.5 3 13 5.5 10.5 8M14 10.5H3M5.5 8 3 10.5 5.5 13",
  webhooks: "M1.8 8h8.4M7 4.8 10.2 8 7 11.2M13.5 2.5v11",
  notices: "M3.5 11.5h9l-1.3-2V7a3.2 3.2 0 0 0-6.4 0v2.5zM6.8 13.5h2.4",
  api: "M5.5 4 1.8 8l3.7 4M10.5 4l3.7 4-3.7 4M9 2.8 7 13.2",
  docs: "M3.5 1.8h6l3 3v9.4h-9zM9.2 2v3.2h3.2M5.8 8h4.4M5.8 10.8h4.4",
  start: "M4 2v12M4 2.8h8.5l-2 2.7 2 2.7H4",
  queue: "M2.5 3.5h11M2.5 8h11M2.5 12.5h6",
  addresses:
    "M8 14.2s4.8-4.6 4.8-8a4.8 4.8 0 0 0-9.6 0c0 3.4 4.8 8 4.8 8zM8 7.8a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2z",
  accounts: "M8 7.5a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM2.5 14c.5-3 2.6-4.5 5.5-4.5s5 1.5 5.5 4.5",
  nodes:
    "M8 5.4a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM3.6 14.2a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM12.4 14.2a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM7.2 5.2 4.4 10.8M8.8 5.2l2.8 5.6",
  host: "M2.5 2.5h11v4.5h-11zM2.5 9h11v4.5h-11zM5 4.8v0M5 11.3v0",
  you: "M8 7.5a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM2.5 14c.5-3 2.6-4.5 5.5-4.5s5 1.5 5.5 4.5",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName | Tone }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" />
      <path d="M12 10h14v12H12M12 10l7 6 7-6M8 14h4M5 18h7" />
    </svg>
  );
}
