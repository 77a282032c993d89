import { brotliDecompressSync } from "node:zlib";
import type { StoredKinds } from "../../model/fields/field-type.ts";
import { packedKinds, packedVersions } from "./packed.ts";

/** The versions of Kubernetes whose built-in kinds qvs knows, in ascending order. */
export const builtinVersions: readonly string[] = packedVersions.toSorted();

/** The usual version, which a check uses by default. */
export const usualVersion = packedVersions[0] ?? "";

/**
 * Returns the fields of the kinds that a version of Kubernetes has built in, by default the usual
 * one. Each call unpacks them, which takes a few milliseconds. Throws for an unknown version.
 */
export function readBuiltinKinds(version?: string): StoredKinds {
  const line = version === undefined ? 0 : packedVersions.indexOf(version);
  const text = brotliDecompressSync(Buffer.from(packedKinds, "base64")).toString();
  const stored = text.split("\n")[line];
  if (stored === undefined) throw new Error(`no packed kinds of Kubernetes ${version}`);
  return JSON.parse(stored) as StoredKinds;
}
