// A small HTTP proxy on loopback: it opens tunnels (CONNECT) and forwards plain requests, all to one server, whatever
// name it is asked for, so that a test can use names which no DNS knows.
import { createServer, request as forward, type Server } from "node:http";
import { connect } from "node:net";

export type ProxyLog = { readonly server: Server; readonly asked: string[]; readonly passwords: string[] };

/** Makes the proxy; `refusal` is the status with which it refuses every tunnel. */
export function loopbackProxy(target: { readonly port: number }, refusal?: number): ProxyLog {
  const asked: string[] = [];
  const passwords: string[] = [];
  const to = { host: "127.0.0.1", port: target.port };
  const server = createServer((incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const { pathname, search } = new URL(incoming.url ?? "");
    forward({ ...to, path: `${pathname}${search}`, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    }).end();
  });
  server.on("connect", (incoming, socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    passwords.push(incoming.headers["proxy-authorization"] ?? "");
    if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
    const tunnel = connect(to, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      tunnel.pipe(socket).pipe(tunnel);
    });
    for (const end of [tunnel, socket]) {
      end.on("error", () => undefined);
      end.on("close", () => [tunnel, socket].forEach((one) => void one.destroy()));
    }
  });
  return { server, asked, passwords };
}
