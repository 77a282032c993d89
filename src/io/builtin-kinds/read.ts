import { brotliDecompressSync } from "node:zlib";
import type { StoredKinds } from "../../model/fields/field-type.ts";
import { packedKinds } from "./packed.ts";

/** The fields of the kinds that Kubernetes has itself. Unpacked with each call, which takes some milliseconds. */
export function readBuiltinKinds(): StoredKinds {
  const text = brotliDecompressSync(Buffer.from(packedKinds, "base64")).toString();
  return JSON.parse(text) as StoredKinds;
}
