import type { StoredKinds } from "../../model/fields/field-type.ts";
import type { UpgradeTarget } from "../../model/fields/kubernetes-facts.ts";
import { builtinVersions, readApiLifecycles, readBuiltinKinds } from "./read.ts";

/** Returns a version with the packed facts of all versions; undefined without a version. */
export function upgradeTarget(version: string | undefined): UpgradeTarget | undefined {
  if (version === undefined) return undefined;
  const read = new Map<string | undefined, StoredKinds>();
  return {
    version,
    facts: {
      versions: builtinVersions,
      kinds: (of) => {
        const kinds = read.get(of) ?? readBuiltinKinds(of);
        read.set(of, kinds);
        return kinds;
      },
      lifecycles: readApiLifecycles,
    },
  };
}
