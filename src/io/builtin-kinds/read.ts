import { brotliDecompressSync } from "node:zlib";
import type { StoredKinds } from "../../model/fields/field-type.ts";
import { fieldOf } from "../../model/json.ts";
import {
  type ApiLifecycles,
  type UpgradeTarget,
  versionRange,
} from "../../model/kubernetes-versions.ts";
import { packedKinds, packedLifecycles, packedVersions } from "./packed.ts";

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
  const stored = unpack()[line];
  if (stored === undefined) throw new Error(`no packed kinds of Kubernetes ${version}`);
  return JSON.parse(stored) as StoredKinds;
}

/**
 * Describes the versions of Kubernetes that have a built-in kind, such as "since Kubernetes 1.34".
 * Returns undefined for other kinds.
 */
export function builtinKindVersions(apiVersion: string, kind: string): string | undefined {
  const key = `${apiVersion}/${kind}`;
  const lines = unpack();
  const found = packedVersions.filter((_, line) => {
    const { kinds } = JSON.parse(lines[line] ?? "") as StoredKinds;
    return fieldOf(kinds, key) !== undefined;
  });
  return versionRange(found.toSorted(), builtinVersions);
}

/**
 * Returns the versions in which built-in kinds begin and end, also for kinds that all supported
 * versions have removed. Each call unpacks them.
 */
export function readApiLifecycles(): ApiLifecycles {
  return JSON.parse(unpackText(packedLifecycles)) as ApiLifecycles;
}

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

/** Returns the packed kinds as JSON, one version per line, in the order of `packedVersions`. */
function unpack(): readonly string[] {
  return unpackText(packedKinds).split("\n");
}

function unpackText(packed: string): string {
  return brotliDecompressSync(Buffer.from(packed, "base64")).toString();
}
