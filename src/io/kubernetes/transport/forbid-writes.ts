import { isWrite, type Transport } from "./transport.ts";

/**
 * Returns the same transport, but without writes while `forbidden` returns a reason. Dry runs
 * aren't writes.
 */
export function forbidWrites(transport: Transport, forbidden: () => string | undefined): Transport {
  return {
    ...transport,
    send: (call) => transport.send(isWrite(call) ? { ...call, forbidden } : call),
  };
}
