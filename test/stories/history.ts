import { gunzipSync } from "node:zlib";
import type { InventoryEntry, ObjectResult, Release } from "../../src/model/deployments/release.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { isKubeObject, keyOf, nameFromKey } from "../../src/model/object.ts";
import { decodeReleases } from "../../src/releases/decode.ts";
import { parseReleaseName } from "../../src/releases/release-names.ts";
import { ask } from "../support/cluster/api/ask.ts";
import type { TestCluster } from "../support/cluster/use-cluster.ts";
import { inWaves } from "./waves.ts";

/** The writes and releases in a namespace, each returned once. */
export interface History {
  newWrites(): Promise<readonly string[]>;
  newReleases(): Promise<{
    /** The releases, oldest first. */
    readonly releases: readonly Release[];
    /** Every object that any release has recorded until now, with its edges. */
    readonly inventory: readonly InventoryEntry[];
  }>;
}

export function createHistory(cluster: TestCluster, namespace: string): History {
  let seen = 0;
  const reported = new Set<string>();
  const inventory = new Map<string, InventoryEntry>();
  return {
    async newWrites() {
      const all = await cluster.auditWrites(namespace, "admin", "around");
      const since = all.slice(seen);
      seen = all.length;
      return since.filter((write) => !/ (Secret \S+\/qvs\.|Lease )/.test(write));
    },
    async newReleases() {
      const all = await readReleases(cluster, namespace);
      for (const entry of all.flatMap((release) => release.inventory)) {
        inventory.set(`${keyOf(entry.id)} ${JSON.stringify(entry.after)}`, entry);
      }
      const nameOfRelease = ({ deployment, revision }: Release) => `${deployment} ${revision}`;
      const releases = all
        .filter((release) => !reported.has(nameOfRelease(release)))
        .toSorted((a, b) => a.revision - b.revision);
      for (const release of releases) reported.add(nameOfRelease(release));
      return { releases, inventory: [...inventory.values()] };
    },
  };
}

async function readReleases(cluster: TestCluster, namespace: string): Promise<readonly Release[]> {
  const type = "type%3Dvs.axis-dev.io/release.v1";
  const path = `/api/v1/namespaces/${namespace}/secrets?fieldSelector=${type}`;
  const { items }: { readonly items: readonly JsonObject[] } = JSON.parse(await ask(cluster, path));
  // Items of a list have no kind.
  const secrets = items
    .map((item) => ({ apiVersion: "v1", kind: "Secret", ...item }))
    .filter(isKubeObject);
  const names = new Set(secrets.map((secret) => parseReleaseName(secret)?.deployment ?? ""));
  return [...names].flatMap((name) => {
    const read = decodeReleases(name, secrets, (bytes) => gunzipSync(bytes).toString("utf8"));
    // An unreadable record was forged, and the deployment itself reports it.
    return read.ok ? read.value.releases : [];
  });
}

/** Returns the writes of a deployment and its record; a deployment without a record was blocked. */
export async function describeDeployment(history: History): Promise<{
  readonly writes: readonly string[];
  readonly release: readonly string[];
}> {
  const { releases, inventory } = await history.newReleases();
  const waves = inWaves(await history.newWrites(), inventory);
  return {
    writes: waves.map((wave, index) => `  ${index + 1}. ${wave.join(", ")}`),
    release: releases.flatMap(releaseLines),
  };
}

function releaseLines({ deployment, revision, status, results }: Release): readonly string[] {
  return [
    `${deployment} release ${revision} ${status}: ${countsOf(results)}`,
    ...results
      .filter(({ outcome, detail }) => detail !== "" || outcome === "failed" || outcome === "kept")
      .map(({ key, outcome, detail }) =>
        `  ${outcome}: ${nameFromKey(key)}: ${detail}`.replace(/: $/, ""),
      ),
  ];
}

function countsOf(results: readonly ObjectResult[]): string {
  const outcomes = [...new Set(results.map(({ outcome }) => outcome))];
  return outcomes
    .map((outcome) => `${results.filter((one) => one.outcome === outcome).length} ${outcome}`)
    .join(", ");
}
