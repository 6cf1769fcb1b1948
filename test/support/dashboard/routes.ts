/** The routes of the dashboard. Nothing is called. */
import { createDashboard, type DashboardRoute } from "../../../src/dashboard/dashboard.ts";
import type { DashboardParts } from "../../../src/dashboard/web/parts.ts";

export function allRoutes(): readonly DashboardRoute[] {
  const parts = {
    publicUrl: "http://localhost",
    secrets: { token: () => "" },
    api: { paths: {} },
    problems: [],
    host: {},
    limits: {},
    sending: {},
    domains: {},
    links: {},
  };
  return createDashboard(parts as unknown as DashboardParts).routes;
}
