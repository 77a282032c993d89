import { versionRange } from "../../model/fields/version-range.ts";
import { fieldOf } from "../../model/json.ts";
import { builtinVersions, readBuiltinKinds } from "./read.ts";

/**
 * Describes the versions of Kubernetes that have a built-in kind, such as "since Kubernetes 1.34".
 * Returns undefined for other kinds.
 */
export function builtinKindVersions(apiVersion: string, kind: string): string | undefined {
  const found = builtinVersions.filter(
    (version) => fieldOf(readBuiltinKinds(version).kinds, `${apiVersion}/${kind}`) !== undefined,
  );
  return versionRange(found, builtinVersions);
}
