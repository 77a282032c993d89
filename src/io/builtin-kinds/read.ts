import { brotliDecompressSync } from "node:zlib";
import type { StoredKinds } from "../../model/fields/field-type.ts";
import { packedKinds } from "./packed.ts";

/**
 * Returns the fields of the kinds that Kubernetes has built in. Each call unpacks them, which takes
 * a few milliseconds.
 */
export function readBuiltinKinds(): StoredKinds {
  const text = brotliDecompressSync(Buffer.from(packedKinds, "base64")).toString();
  return JSON.parse(text) as StoredKinds;
}
