import { leavesOf } from "../model/apply-time-reference.ts";
import type { Json } from "../model/json.ts";
import { toBase64 } from "../model/text/base64.ts";
import { holdsSecret } from "../redaction/looks-secret.ts";
import type { GivenParam } from "./parse-params.ts";

/**
 * What the command line gave to params that are named like secrets, in the forms in which manifests hold it. Such a value
 * often comes from a store of secrets, and stands in no file of the repository: so it stands in no output either.
 */
export function secretTextsOf(
  given: readonly GivenParam[],
  values: ReadonlyMap<string, Json>,
): readonly string[] {
  const inline = new Set(given.filter(({ by }) => by === "inline").map(({ name }) => name));
  const secret = [...values].filter(
    ([name, value]) => inline.has(name) && holdsSecret(name, value),
  );
  const texts = secret.flatMap(([, value]) => leavesOf(value)).filter((text) => text !== "");
  return [...new Set(texts.flatMap((text) => [text, toBase64(text)]))];
}
