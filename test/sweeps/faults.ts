import { setTimeout as sleep } from "node:timers/promises";
import type { Interference } from "../support/servers/api-proxy.ts";
import type { NumberedRequest } from "./numbered-request.ts";

/** One fault between qvs and the API server. */
export interface Fault {
  readonly name: string;
  readonly interference: Interference;
  concerns(request: NumberedRequest): boolean;
}

/** The API server's message if others change an object continuously. */
const contended =
  "the object has been modified; please apply your changes to the latest version and try again";

/**
 * Temporary faults that every client of an API server must handle, by itself if it repeats the
 * request.
 */
export const passing: readonly Fault[] = [
  refusal(429, "TooManyRequests", { "retry-after": "1" }),
  refusal(500, "InternalError"),
  refusal(503, "ServiceUnavailable"),
  { name: "cut before", interference: { cut: "before" }, concerns: isNoWatch },
  { name: "cut after", interference: { cut: "after" }, concerns: isNoWatch },
  { name: "cut within", interference: { cut: "within" }, concerns: isNoWatch },
];

/** A conflict with a concurrent write, according to the API server. */
export const outrun: Fault = {
  ...refusal(409, "Conflict"),
  name: "409",
  concerns: ({ verb }) => ["replace", "apply", "delete"].includes(verb),
};

/** Returns a fault that delays the answer beyond the client's time limit. */
export function stall(milliseconds: number): Fault {
  return {
    name: "stall",
    interference: { before: async () => void (await sleep(milliseconds)) },
    concerns: () => true,
  };
}

export const watchFaults: readonly Fault[] = [
  { name: "watch refused", interference: { cut: "before" }, concerns: isWatch },
  { name: "watch ended", interference: { endAfter: 100 }, concerns: isWatch },
  { name: "watch cut", interference: { endAfter: 100, cut: "after" }, concerns: isWatch },
  { ...refusal(410, "Expired"), name: "410", concerns: isWatch },
  {
    name: "410 event",
    interference: {
      answer: {
        status: 200,
        body: `${JSON.stringify({ type: "ERROR", object: JSON.parse(status(410, "Expired")) })}\n`,
      },
    },
    concerns: isWatch,
  },
];

function refusal(code: number, reason: string, headers = {}): Fault {
  return {
    name: String(code),
    interference: { answer: { status: code, headers, body: status(code, reason) } },
    concerns: () => true,
  };
}

function status(code: number, reason: string): string {
  const message = code === 409 ? contended : `the proxy says ${reason}`;
  return JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    reason,
    message,
  });
}

function isWatch({ verb }: NumberedRequest): boolean {
  return verb === "watch";
}

function isNoWatch(request: NumberedRequest): boolean {
  return !isWatch(request);
}
