/**
 * The route of test messages: one host, the sink inside the service, which is started by the first of them. What the sink does is
 * its own affair; which messages are test messages is decided by their stored domain (message/test-route.ts).
 */
import type { Route } from "./route.ts";

/** A sink that listens on loopback. */
export interface LocalSink {
  readonly port: number;
  close(): Promise<void>;
}

export type StartSink = () => Promise<LocalSink>;

/** The address as the name: nothing is resolved. */
const HOST = "127.0.0.1";

export class TestSink {
  readonly #start: StartSink;
  #sink: Promise<LocalSink> | null = null;
  #isClosed = false;

  constructor(start: StartSink) {
    this.#start = start;
  }

  /** Starts the sink if it does not run. The route is `no_test_sink` if it does not start, or the service stops. Never rejects. */
  async route(): Promise<Route> {
    if (this.#isClosed) return { type: "no_test_sink", error: "the service stops" };
    this.#sink ??= this.#start();
    try {
      const { port } = await this.#sink;
      return { type: "hosts", hosts: [{ name: HOST, port, isSink: true }] };
    } catch (error) {
      // The next attempt tries again.
      this.#sink = null;
      return { type: "no_test_sink", error: (error as Error).message };
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const sink = await this.#sink?.catch(() => null);
    await sink?.close();
  }
}
