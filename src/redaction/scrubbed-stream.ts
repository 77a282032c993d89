import type { SentSecrets } from "./sent-secrets.ts";
import type { TextStream } from "./shown.ts";

/** Returns the same stream without the credentials of this run. */
export function scrubbedStream<T extends TextStream>(stream: T, sent: SentSecrets): T {
  const write: TextStream["write"] = (text) => stream.write(sent.hide(text));
  return Object.assign(Object.create(stream) as T, { write });
}
