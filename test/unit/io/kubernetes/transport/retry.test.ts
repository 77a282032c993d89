import { expect, test } from "vitest";
import { type RequestOutcome, retry } from "../../../../../src/io/kubernetes/transport/retry.ts";
import { quickPace } from "../../../../support/servers/scripted-api.ts";

/** Creates a network error of this system call. */
function failing(code: string, syscall: string): Error {
  return Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
}

const done: RequestOutcome = { type: "answered", status: 201, headers: {}, text: "{}" };

/** Sends a request that must not be executed twice. Its first attempt fails with the error. */
async function attemptsAfter(error: unknown) {
  let attempts = 0;
  const attempt = async (): Promise<RequestOutcome> => {
    attempts += 1;
    return attempts === 1 ? { type: "unanswered", error } : done;
  };
  const { outcomeUnknown } = await retry(attempt, false, quickPace());
  return { attempts, outcomeUnknown };
}

const repeated = { attempts: 2, outcomeUnknown: false };
const unknown = { attempts: 1, outcomeUnknown: true };

test.each([
  ["no route while connecting", failing("EHOSTUNREACH", "connect"), repeated],
  ["no network while connecting", failing("ENETUNREACH", "connect"), repeated],
  ["no process listens", failing("ECONNREFUSED", "connect"), repeated],
  ["the route is lost while reading the answer", failing("EHOSTUNREACH", "read"), unknown],
  ["the network is lost while writing", failing("ENETUNREACH", "write"), unknown],
  ["the connection is reset", failing("ECONNRESET", "read"), unknown],
  [
    "no route to any of several addresses",
    Object.assign(
      new AggregateError([failing("EHOSTUNREACH", "connect"), failing("ENETUNREACH", "connect")]),
      { code: "EHOSTUNREACH" },
    ),
    repeated,
  ],
])("qvs repeats a create request only if it was never sent: %s", async (_, error, expected) => {
  expect(await attemptsAfter(error)).toEqual(expected);
});
