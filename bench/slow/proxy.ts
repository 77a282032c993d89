import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** A local port that forwards to another one as over a long distance. */
export interface Proxy {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Forwards data in both directions, each after half of the round trip. The first bytes of a
 * connection also wait for the round trip that opening it would take. The proxy doesn't limit the
 * bandwidth.
 */
export async function startProxy(target: number, roundTripMs: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    const opened = performance.now() + roundTripMs;
    for (const socket of [near, far]) {
      sockets.add(socket.setNoDelay(true));
      socket.on("close", () => sockets.delete(socket));
    }
    pass(near, far, roundTripMs / 2, opened);
    pass(far, near, roundTripMs / 2, opened);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Forwards all data in order, each piece after its own delay. */
function pass(from: Socket, to: Socket, delayMs: number, opened: number): void {
  let last = Promise.resolve();
  const later = (act: () => void) => {
    const due = Math.max(performance.now(), opened) + delayMs;
    last = last.then(() => wait(Math.max(0, due - performance.now()))).then(act);
  };
  from.on("data", (bytes) => later(() => void (to.destroyed || to.write(bytes))));
  from.on("end", () => later(() => void (to.destroyed || to.end())));
  from.on("error", () => to.destroy());
}
