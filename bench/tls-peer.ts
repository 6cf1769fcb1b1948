/**
 * A mail exchanger with STARTTLS, which smtp-sink lacks: `tls-peer.ts HOST PORT [KEY CERT]`; without the files, no
 * TLS. Prints counters like smtp-sink, "sess=… tls=… mesg=…", and uses as little CPU as Node allows.
 */
import { readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";

const [host = "127.0.0.1", port = "25", keyFile, certFile] = process.argv.slice(2);
const secureContext =
  keyFile === undefined || certFile === undefined
    ? null
    : createSecureContext({ key: readFileSync(keyFile), cert: readFileSync(certFile) });

const counts = { sess: 0, tls: 0, mesg: 0 };
let told = false;

function tell(): void {
  if (told) return;
  told = true;
  setImmediate(() => {
    told = false;
    process.stdout.write(`sess=${counts.sess} tls=${counts.tls} mesg=${counts.mesg}\n`);
  });
}

const END_OF_DATA = "\r\n.\r\n";

/** Reads commands and content from one connection; after STARTTLS, another reader takes over the socket. */
function serve(socket: Socket, secure: boolean): void {
  let received = "";
  let inData = false;
  const onData = (chunk: Buffer): void => {
    received += chunk.toString("latin1");
    for (;;) {
      const end = received.indexOf(inData ? END_OF_DATA : "\r\n");
      if (end < 0) return;
      const line = inData ? "" : received.slice(0, end);
      received = received.slice(end + (inData ? END_OF_DATA.length : 2));
      if (inData) {
        inData = false;
        counts.mesg += 1;
        tell();
        socket.write("250 2.0.0 Ok: queued\r\n");
      } else if (!command(line)) return;
    }
  };

  /** Replies to a command. Returns false if this reader must stop. */
  function command(line: string): boolean {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === "EHLO") {
      const offer = secureContext !== null && !secure ? "250-STARTTLS\r\n" : "";
      socket.write(`250-${host}\r\n250-PIPELINING\r\n250-8BITMIME\r\n${offer}250 SIZE 100000000\r\n`);
    } else if (verb === "DATA") {
      inData = true;
      socket.write("354 go\r\n");
    } else if (verb === "STAR" && secureContext !== null) {
      socket.write("220 go\r\n");
      socket.off("data", onData);
      secureServe(socket, secureContext);
      return false;
    } else if (verb === "QUIT") {
      socket.end("221 bye\r\n");
      return false;
    } else socket.write("250 2.0.0 Ok\r\n");
    return true;
  }

  socket.on("data", onData);
  socket.on("error", () => socket.destroy());
}

function secureServe(socket: Socket, context: NonNullable<typeof secureContext>): void {
  const secured = new TLSSocket(socket, { isServer: true, secureContext: context });
  secured.on("error", () => socket.destroy());
  secured.once("secure", () => {
    counts.tls += 1;
    tell();
  });
  serve(secured, true);
}

const server = createServer({ noDelay: true }, (socket) => {
  counts.sess += 1;
  serve(socket, false);
  socket.write("220 peer ESMTP\r\n");
});
server.listen({ host, port: Number(port), backlog: 1024 });
