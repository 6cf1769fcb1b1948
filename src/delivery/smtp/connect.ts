/**
 * Opens the TCP connection to an SMTP server and starts to wait for its greeting. connection.ts holds the dialogue on it.
 */
import { connect as connectSocket, type Socket } from "node:net";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { type CommandResult, Connection } from "./connection.ts";
import { isLocalError } from "./local-error.ts";
import { RFC_TIMEOUTS, type Timeouts } from "./timeouts.ts";

export interface ConnectOptions {
  /** The mail exchanger's name: for SNI and the check of the certificate. */
  host: string;
  /** The IP address to connect to. */
  address: string;
  port: number;
  localAddress?: string;
  timeouts?: Partial<Timeouts>;
  clock?: Clock;
  /** Opens the socket, instead of the system's TCP. */
  connect?: Connect;
}

export type Connect = (to: { host: string; port: number; noDelay: true; localAddress?: string }) => Socket;

/** Shared by all plain connections, because the bytes are used only while their listeners run. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

/** The system's TCP. Without its own buffer, each read of a short reply would allocate one of 64 KiB and shrink it. */
export const connectTcp: Connect = (to) => {
  const callback = (sizeBytes: number): boolean => {
    socket.emit("data", READ_BUFFER.subarray(0, sizeBytes));
    return true;
  };
  const socket = connectSocket({ ...to, onread: { buffer: READ_BUFFER, callback } });
  return socket;
};

export type ConnectResult =
  | { type: "connected"; connection: Connection; greeting: Promise<CommandResult> }
  /** `isLocal`: the error is this server's, not the peer's. */
  | { type: "failed"; error: string; isLocal: boolean };

/** Connects to one address and awaits the greeting from then on. Never rejects. */
export function connectSmtp(options: ConnectOptions): Promise<ConnectResult> {
  const timeouts = { ...RFC_TIMEOUTS, ...options.timeouts };
  const clock = options.clock ?? systemClock;
  const { address: host, port, localAddress, connect = connectTcp } = options;
  return new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true, ...(localAddress === undefined ? {} : { localAddress }) });
    const fail = (error: string, isLocal: boolean) => {
      cancel();
      socket.destroy();
      resolve({ type: "failed", error, isLocal });
    };
    const cancel = clock.after(timeouts.connect, () => fail(`not connected within ${timeouts.connect} ms`, false));
    const onError = (error: Error) => fail(error.message, isLocalError(error));
    socket.once("error", onError);
    socket.once("connect", () => {
      cancel();
      const connection = new Connection(socket, options.host, clock);
      socket.off("error", onError);
      const greeting = connection.expect();
      greeting.arm(timeouts.greeting);
      resolve({ type: "connected", connection, greeting: greeting.result });
    });
  });
}
