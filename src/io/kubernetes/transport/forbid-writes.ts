import { isWrite, type Transport } from "./transport.ts";

/** The same transport, but no attempt at a write is made while `forbidden` says why not. Dry-runs write nothing. */
export function forbidWrites(transport: Transport, forbidden: () => string | undefined): Transport {
  return {
    ...transport,
    send: (call) => transport.send(isWrite(call) ? { ...call, forbidden } : call),
  };
}
