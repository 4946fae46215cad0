// The server of the benchmark as a process of its own, so that its processor time is nobody's: TLS on loopback with keep-alive.
// Its parent hands it the certificate and asks it how many TLS connections it has seen.
import { createServer } from "node:https";
import { env } from "node:process";
import { makeAnswers } from "./answers.ts";
import { serve } from "./serve.ts";

const KEEP_ALIVE_MS = 90_000;

const answers = makeAnswers();
let connections = 0;
const server = createServer({ key: env.BENCH_KEY, cert: env.BENCH_CERT, keepAliveTimeout: KEEP_ALIVE_MS });
server.on("request", (request, response) => {
  // A client that has what it wanted leaves in the middle of its watch.
  serve(answers, request, response).catch(() => response.destroy());
});
server.on("secureConnection", () => {
  connections++;
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") process.send?.(address?.port);
});
process.on("message", () => process.send?.(connections));
process.on("disconnect", () => process.exit());
