import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ApiLifecycle, ApiLifecycles } from "../src/model/kubernetes-versions.ts";
import { formatApiVersion } from "../src/model/object.ts";

const generated = "zz_generated.prerelease-lifecycle.go";

/**
 * Returns the lifecycles of the kinds in the Go module k8s.io/api, in several versions of it. The
 * oldest is first, because a newer one can correct an older one, and kinds are missing in versions
 * that no longer have their types. Kinds without an end need no entry, except their start.
 */
export function storedLifecycles(modules: readonly string[]): ApiLifecycles {
  const found = modules.flatMap((directory) =>
    lifecycleFiles(directory).flatMap((file) => readLifecycles(directory, file)),
  );
  return Object.fromEntries([...new Map(found)].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function lifecycleFiles(directory: string): readonly string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(`/${generated}`));
}

type Entry = readonly [key: string, lifecycle: ApiLifecycle];

/** Reads one generated file. Lists need no entry of their own. */
function readLifecycles(directory: string, file: string): readonly Entry[] {
  const folder = dirname(join(directory, file));
  const version = folder.split("/").at(-1) ?? "";
  const register = readFileSync(join(folder, "register.go"), "utf8");
  const group = /^const GroupName = "(.*)"$/m.exec(register)?.[1];
  if (group === undefined) throw new Error(`${folder}/register.go has no GroupName`);
  const apiVersion = formatApiVersion({ group, version });
  const functions = readFileSync(join(directory, file), "utf8").matchAll(
    /^func \(in \*(\w+)\) APILifecycle(\w+)\(\) .*\{\n\treturn (.*)$/gm,
  );
  const byKind = Map.groupBy(functions, ([, kind = ""]) => kind);
  return [...byKind]
    .filter(([kind]) => !kind.endsWith("List"))
    .map(([kind, parts]) => [
      `${apiVersion}/${kind}`,
      Object.assign({}, ...parts.map(([, , fact = "", value = ""]) => readFact(fact, value))),
    ]);
}

/** Reads the result of one function, such as `1, 22`. */
function readFact(fact: string, value: string): ApiLifecycle {
  const minor = Number(/^1, (\d+)$/.exec(value)?.[1]);
  switch (fact) {
    case "Introduced":
      return { introduced: minor };
    case "Deprecated":
      return { deprecated: minor };
    case "Removed":
      return { removed: minor };
    case "Replacement":
      return { replacement: readReplacement(value) };
    default:
      throw new Error(`unknown fact ${fact}: ${value}`);
  }
}

function readReplacement(value: string): NonNullable<ApiLifecycle["replacement"]> {
  const [, group = "", version = "", kind = ""] =
    /\{Group: "(.*)", Version: "(.*)", Kind: "(.*)"\}$/.exec(value) ?? [];
  return { apiVersion: formatApiVersion({ group, version }), kind };
}
