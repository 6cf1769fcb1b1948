/** `mcp`: the server for agents. What it offers is in mcp/. */
import { requireRemote } from "../config.ts";
import { serveTools } from "../mcp/serve.ts";
import type { Dialog } from "./command.ts";

export const mcp: Dialog = {
  converse: (streams, remote, { options }) =>
    serveTools(streams, { remote: requireRemote(remote), allowsWrites: options["allow-writes"] === true }),
};
