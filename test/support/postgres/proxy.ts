/**
 * A TCP proxy before a PostgreSQL server whose network a test, or the torture, cuts: without a reset, as if a cable were pulled.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";

export interface DatabaseProxy {
  /** As the given one, through the proxy. */
  url: string;
  /** From now on nothing passes, and new connections get no reply. */
  cut(): void;
  /** New connections pass again. Those that were cut stay so, or continue where they were, as after a short outage. */
  restore(cut?: "stay cut" | "continue"): void;
  /** The connections end, and new ones lead to this port of the same host. */
  redirect(port: number): void;
}

/** Starts a proxy before the server of `url`; it ends with the test. */
export async function startProxy(t: TestContext, url: string): Promise<DatabaseProxy> {
  const proxy = await openProxy(url);
  t.after(() => proxy.close());
  return proxy;
}

/** Starts a proxy before the server of `url`. `close` ends it with all of its connections. */
export async function openProxy(url: string): Promise<DatabaseProxy & { close(): void }> {
  const target = new URL(url);
  /** The other end of each. */
  const sockets = new Map<Socket, Socket>();
  let isCut = false;
  let targetPort = Number(target.port);
  const silence = (): void => {
    for (const socket of sockets.keys()) socket.unpipe().pause();
  };
  const proxy = createServer((near) => {
    const far = connect(targetPort, target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.set(from, to);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
    if (isCut) silence();
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  return {
    url: Object.assign(new URL(url), { port: String(port) }).href,
    cut() {
      isCut = true;
      silence();
    },
    restore(cut = "stay cut") {
      isCut = false;
      if (cut === "continue") for (const [from, to] of sockets) from.unpipe().pipe(to);
    },
    redirect(port) {
      targetPort = port;
      for (const socket of sockets.keys()) socket.destroy();
    },
    close() {
      for (const socket of sockets.keys()) socket.destroy();
      proxy.close();
    },
  };
}
