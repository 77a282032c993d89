import { linkKindTypes } from "../../src/compile/schema/kind-types.ts";
import type { KnownVersions } from "../../src/compile/schema/known-versions.ts";
import { builtinVersions, readBuiltinKinds } from "../../src/io/builtin-kinds/read.ts";

const linked = new Map<string | undefined, ReturnType<typeof linkKindTypes>>();

/** The packed kinds of all supported versions. Each version is read once. */
export const knownVersions: KnownVersions = {
  names: builtinVersions,
  types: (version) => {
    const types = linked.get(version) ?? linkKindTypes(readBuiltinKinds(version));
    linked.set(version, types);
    return types;
  },
};
