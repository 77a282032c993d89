import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Returns this many free ports of the loopback interface. It keeps all of them open until the last
 * one is known, so that they differ.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
