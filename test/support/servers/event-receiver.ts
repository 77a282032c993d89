import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { JsonObject } from "../../../src/model/json.ts";

/** The answer to one request: a status, or none at all. */
export interface ReceiverAnswer {
  readonly status: number | "hang" | "close";
  readonly headers?: Readonly<Record<string, string>>;
}

interface ReceivedEvent {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: JsonObject;
}

/** A server on this machine that receives CloudEvents. */
export interface EventReceiverServer {
  /** The address with a path and a query, which are secrets. */
  readonly url: string;
  readonly received: readonly ReceivedEvent[];
  /** Sets the answers of the next requests. The last one is repeated. */
  answer(...next: readonly [ReceiverAnswer, ...ReceiverAnswer[]]): void;
}

const answerBody = "an-answer-that-no-one-prints";

export async function startEventReceiver(): Promise<EventReceiverServer> {
  const received: ReceivedEvent[] = [];
  let answers: readonly ReceiverAnswer[] = [{ status: 202 }];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { url: path = "", headers } = request;
    received.push({ path, headers, body, event: JSON.parse(body) as JsonObject });
    const [answer, ...rest] = answers;
    if (rest.length > 0) answers = rest;
    if (answer === undefined || answer.status === "hang") return;
    if (answer.status === "close") request.socket.destroy();
    else response.writeHead(answer.status, answer.headers).end(answerBody);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks/T0PATH5ECRETPATH5ECRET?token=T0KEN5ECRETT0KEN5ECRET`,
    received,
    answer: (...next) => {
      answers = next;
    },
  };
}
