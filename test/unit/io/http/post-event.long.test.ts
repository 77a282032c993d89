import { createHmac } from "node:crypto";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { postEvent } from "../../../../src/io/http/post-event.ts";
import {
  type ReceiverAnswer,
  startEventReceiver,
} from "../../../support/servers/event-receiver.ts";

type Answers = readonly [ReceiverAnswer, ...ReceiverAnswer[]];

const redirect = { status: 307, headers: { location: "http://127.0.0.1:1/elsewhere" } } as const;

test.each<[name: string, answers: Answers, why: string | undefined, requests: number]>([
  ["accepted", [{ status: 202 }], undefined, 1],
  ["a redirect", [redirect], "status 307, a redirect, which qvs doesn't follow", 1],
  ["not found", [{ status: 404 }], "status 404", 1],
  ["too many requests", [{ status: 429 }], "status 429", 1],
  ["one error", [{ status: 503 }, { status: 200 }], undefined, 2],
  ["a closed connection, then an error", [{ status: "close" }, { status: 500 }], "status 500", 3],
  ["closed connections", [{ status: "close" }], "the request failed: ECONNRESET", 3],
])("%s", async (_, answers, why, requests) => {
  const receiver = await startEventReceiver();
  receiver.answer(...answers);
  const signal = AbortSignal.timeout(20_000);
  const target = { url: new URL(receiver.url), key: "" };
  expect(await postEvent(target, { id: "1" }, { env: {}, signal })).toBe(why);
  expect(receiver.received.length).toBe(requests);
  // Each attempt sends the same event.
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
});

test("a receiver that doesn't answer ends with the signal, without another attempt", async () => {
  const receiver = await startEventReceiver();
  receiver.answer({ status: "hang" });
  const target = { url: new URL(receiver.url), key: "" };
  const signal = AbortSignal.timeout(200);
  expect(await postEvent(target, {}, { env: {}, signal })).toBe("no answer in time");
  expect(receiver.received.length).toBe(1);
});

test("an unknown host is reported without its name", async () => {
  const target = { url: new URL("https://secret-host.invalid/path"), key: "" };
  const signal = AbortSignal.timeout(20_000);
  const why = await postEvent(target, {}, { env: {}, signal });
  expect(why).toMatch(/^the request failed: [A-Z_]+$/);
});

test("an unusable proxy is an error of the request", async () => {
  const target = { url: new URL("https://hooks.example/path"), key: "" };
  const env = { HTTPS_PROXY: "http://[bad" };
  const signal = AbortSignal.timeout(20_000);
  expect(await postEvent(target, {}, { env, signal })).toMatch(/^the request failed: [A-Z_]+$/);
});

test("an address of this machine is never sent to a proxy", async () => {
  const [receiver, proxy] = [await startEventReceiver(), await startEventReceiver()];
  const target = { url: new URL(receiver.url), key: "" };
  const env = { HTTP_PROXY: proxy.url };
  const signal = AbortSignal.timeout(20_000);
  expect(await postEvent(target, {}, { env, signal })).toBeUndefined();
  expect([receiver.received.length, proxy.received.length]).toEqual([1, 0]);
});

/** Starts a server that sends `answer` to each connection and returns its address. */
async function startRawServer(answer: string): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    if (answer !== "") socket.once("data", () => socket.write(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a receiver that changes the protocol has given no answer", async () => {
  const upgrade = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n";
  const target = { url: new URL(await startRawServer(upgrade)), key: "" };
  const signal = AbortSignal.timeout(20_000);
  expect(await postEvent(target, {}, { env: {}, signal })).toBe("the request failed");
});

test.each([
  ["ends after its longest silence", 20_000],
  ["ends with the signal", 300],
])("a proxy that doesn't answer %s", async (_, limit) => {
  const target = { url: new URL("https://hooks.example/path"), key: "" };
  const env = { HTTPS_PROXY: await startRawServer("") };
  const signal = AbortSignal.timeout(limit);
  expect(await postEvent(target, {}, { env, signal })).toBe("no answer in time");
});

test("no request starts after the end of the time", async () => {
  const receiver = await startEventReceiver();
  const target = { url: new URL(receiver.url), key: "" };
  const signal = AbortSignal.abort();
  expect(await postEvent(target, {}, { env: {}, signal })).toBe("no answer in time");
  expect(receiver.received).toEqual([]);
});

test("the signature is GitHub's, over the bytes of the body", async () => {
  const receiver = await startEventReceiver();
  const target = { url: new URL(receiver.url), key: "schlüssel" };
  const signal = AbortSignal.timeout(20_000);
  await postEvent(target, { name: "größe" }, { env: {}, signal });
  await postEvent({ ...target, key: "" }, {}, { env: {}, signal });
  const [signed, unsigned] = receiver.received;
  const expected = createHmac("sha256", "schlüssel")
    .update(signed?.body ?? "")
    .digest("hex");
  expect(signed?.headers).toMatchObject({
    "content-type": "application/cloudevents+json; charset=utf-8",
    "x-hub-signature-256": `sha256=${expected}`,
  });
  expect(unsigned?.headers).not.toHaveProperty("x-hub-signature-256");
});
