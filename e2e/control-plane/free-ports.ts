// Ports on loopback: finding free ones for programs that cannot choose their own, and waiting until one is free again.
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { eventually } from "./eventually.ts";

const LOOPBACK = "127.0.0.1";
const PORT_FREE_DEADLINE_MS = 20_000;

/** Finds `count` different ports that nobody listens on at this moment. */
export async function freePorts(count: number): Promise<readonly number[]> {
  // All are held until the last one is known: otherwise the system may hand out the same port twice.
  const servers = await Promise.all(Array.from({ length: count }, () => listen(0)));
  const ports = servers.map(portOf);
  await Promise.all(servers.map(close));
  return ports;
}

/** Says whether a program could listen on the port now. */
export async function isPortFree(port: number): Promise<boolean> {
  try {
    await close(await listen(port));
    return true;
  } catch {
    return false;
  }
}

/** Resolves once the port can be listened on: a killed server holds its port for a moment. */
export async function portFreed(port: number): Promise<void> {
  const probe = async () => ((await isPortFree(port)) ? true : undefined);
  await eventually(`port ${port} is free`, probe, { deadlineMs: PORT_FREE_DEADLINE_MS });
}

async function listen(port: number): Promise<Server> {
  const server = createServer();
  server.listen({ port, host: LOOPBACK, exclusive: true });
  await once(server, "listening");
  return server;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, "close");
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has no port");
  return address.port;
}
