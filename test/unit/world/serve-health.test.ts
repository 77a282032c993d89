import { expect, test } from "vitest";
import { serveHealth } from "../../../src/world/serve-health.ts";

test("the server has endpoints for health, readiness and metrics only", async () => {
  let isReady = false;
  let isBroken = false;
  const server = await serveHealth(
    { host: "127.0.0.1", port: 0 },
    {
      isReady: () => isReady,
      metrics: async () => {
        if (isBroken) throw new Error("a secret detail");
        return "qvs_member 1\n";
      },
      metricsType: "text/plain; version=0.0.4",
    },
  );
  const ask = async (path: string, method = "GET") => {
    const answer = await fetch(`http://${server.address}${path}`, { method });
    return `${answer.status} ${(await answer.text()).trim()}`;
  };
  expect([await ask("/healthz"), await ask("/readyz"), await ask("/metrics?x=1")]).toEqual([
    "200 ok",
    "503 not ready",
    "200 qvs_member 1",
  ]);
  isReady = true;
  isBroken = true;
  expect([await ask("/readyz"), await ask("/metrics"), await ask("/healthz", "POST")]).toEqual([
    "200 ok",
    "500 the metrics can't be read",
    "405 use GET",
  ]);
  expect(await ask("/%2e%2e/etc/passwd")).toMatch(/^404 /);
  const taken = serveHealth(
    { host: "127.0.0.1", port: Number(server.address.split(":").at(-1)) },
    {
      isReady: () => true,
      metrics: async () => "",
      metricsType: "",
    },
  );
  await expect(taken).rejects.toThrow("Choose another address with --listen");
  server.close();
});
