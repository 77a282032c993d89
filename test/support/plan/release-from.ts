import type { Release, ReleaseStatus } from "../../../src/model/deployments/release.ts";
import type { Stage } from "../../../src/model/sources/compilation.ts";

/**
 * Returns a release of ConfigMaps. `names` are its manifests, and `inventory` lists the objects
 * that it might have left behind.
 */
export function release(
  revision: number,
  status: ReleaseStatus,
  {
    names = [],
    inventory = names,
  }: { names?: readonly string[]; inventory?: readonly string[] } = {},
): Release {
  return {
    format: 1,
    deployment: "shop",
    revision,
    status,
    rollbackOf: undefined,
    inputConfig: { config: "", params: {}, modules: [] },
    expandedConfig: names.map((name) => ({
      stage: "app" as Stage,
      resource: name,
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "shop" } },
      dependsOn: [],
    })),
    layout: {
      pattern: "acme.example/adapters:web",
      name: "web",
      file: "qvs.yaml",
      line: 3,
      group: undefined,
      params: {},
      resources: [],
      composites: [],
    },
    source: { commit: "c0ffee", actor: undefined, run: undefined },
    startedAt: "2026-01-02T03:04:05.000Z",
    finishedAt: status === "pending" ? undefined : "2026-01-02T03:05:05.000Z",
    inventory: inventory.map((name) => ({
      id: { group: "", kind: "ConfigMap", namespace: "shop", name },
      apiVersion: "v1",
      stage: "app" as Stage,
      after: [{ on: "core:Namespace::shop", reason: `release ${revision}` }],
    })),
    results: [],
  };
}

/** Returns releases from lines such as `3 failed declares: a b, inventory: a b c`. */
export function releasesFrom(lines: string): readonly Release[] {
  return lines.split("\n").map((line) => {
    const [revision, status] = line.trim().split(" ");
    const names = namesAfter("declares", line) ?? [];
    const inventory = namesAfter("inventory", line) ?? names;
    return release(Number(revision), status as ReleaseStatus, { names, inventory });
  });
}

function namesAfter(word: string, line: string): readonly string[] | undefined {
  return new RegExp(`${word}: ([\\w ]+)`).exec(line)?.[1]?.trim().split(" ");
}
