import { expect, onTestFinished, test } from "vitest";
import { exchange, openSockets } from "../../../../../src/io/kubernetes/transport/exchange.ts";
import { connectionTo, scriptedApi } from "../../../../support/servers/scripted-api.ts";

test("a request that is aborted during its answer causes no uncaught error", async () => {
  const uncaught: unknown[] = [];
  const listeners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException").on("uncaughtException", (error) => {
    uncaught.push(error);
  });
  onTestFinished(() => {
    process.removeAllListeners("uncaughtException");
    for (const listener of listeners) process.on("uncaughtException", listener);
  });
  const api = await scriptedApi([
    (response) => {
      response.writeHead(200);
      response.write("a line\n");
      setImmediate(() => response.end());
    },
  ]);
  const line = openSockets(connectionTo(api), 5_000);
  const noCredentials = { headers: {}, generation: 0, cert: undefined, key: undefined };
  const request = { method: "GET", path: "/", headers: {}, body: undefined } as const;
  for (let round = 0; round < 50; round += 1) {
    const abort = new AbortController();
    const { body } = await exchange(line, noCredentials, request, (sent) => {
      abort.signal.addEventListener("abort", () => sent.destroy());
    });
    const read = async () => {
      for await (const _ of body) abort.abort();
    };
    await read().catch(() => undefined);
  }
  line.agent.destroy();
  await new Promise((resolve) => setImmediate(resolve));
  expect(uncaught).toEqual([]);
});
