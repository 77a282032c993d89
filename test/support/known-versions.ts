import { builtinVersions, readBuiltinKinds } from "../../src/io/builtin-kinds/read.ts";
import { linkVersions } from "../../src/validation/kind-types.ts";

/** The packed kinds of all supported versions. Each version is read once. */
export const knownVersions = linkVersions(builtinVersions, readBuiltinKinds);
