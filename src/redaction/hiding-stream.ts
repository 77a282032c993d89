import type { SentSecrets } from "./sent-secrets.ts";
import type { TextStream } from "./shown.ts";

/** Returns the same stream, on which no credential of this run is written. */
export function hidingStream<T extends TextStream>(stream: T, sent: SentSecrets): T {
  const write: TextStream["write"] = (text) => stream.write(sent.hide(text));
  return Object.assign(Object.create(stream) as T, { write });
}
