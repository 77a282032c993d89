import { readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse, stringify } from "yaml";

/**
 * A relay between programs and the API server. It can be unavailable for a while, like a server
 * that restarts.
 */
export interface Relay {
  /** A kubeconfig file that leads to the relay. */
  readonly kubeconfig: string;
  /** Closes every connection and accepts no new ones for this time. */
  restart(milliseconds: number): Promise<void>;
  /** Passes nothing on for this time, and keeps the connections open. */
  stall(milliseconds: number): Promise<void>;
  close(): void;
}

export async function startRelay(kubeconfig: string, directory: string): Promise<Relay> {
  const config = parse(readFileSync(kubeconfig, "utf8"));
  const { hostname, port } = new URL(config.clusters[0].cluster.server);
  const sockets = new Set<Socket>();
  let isAway = false;
  let isStalled = false;
  const server = createServer((client) => {
    if (isAway) return void client.destroy();
    const upstream = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one
        .on("error", () => {})
        .on("close", () => {
          sockets.delete(one);
          other.destroy();
        });
      one.pipe(other);
      if (isStalled) one.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  config.clusters[0].cluster.server = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const path = join(directory, "relay.yaml");
  writeFileSync(path, stringify(config), { mode: 0o600 });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    kubeconfig: path,
    restart: async (milliseconds) => {
      isAway = true;
      cut();
      await sleep(milliseconds);
      isAway = false;
    },
    stall: async (milliseconds) => {
      isStalled = true;
      for (const socket of sockets) socket.pause();
      await sleep(milliseconds);
      isStalled = false;
      for (const socket of sockets) socket.resume();
    },
    close: () => {
      server.close();
      cut();
    },
  };
}
