import { createHash } from "node:crypto";
import {
  defaultRequest,
  type PlanningRequest,
} from "../../../src/model/deployments/deploy-request.ts";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import { groupOf, idOf, type KubeObject, keyOf, withMetadata } from "../../../src/model/object.ts";
import { toReleased } from "../../../src/plan/declared/declare-objects.ts";
import { planDeployment } from "../../../src/planning/plan-deployment.ts";
import type { PlannedDeployment } from "../../../src/planning/planned-deployment.ts";
import { applyJsonPatch } from "../../../src/ssa/json-patch.ts";
import { mergeLocally } from "../../../src/ssa/merge-locally.ts";
import { predictConflicts } from "../../../src/ssa/predict-conflicts.ts";
import { type FakeCluster, fakeCluster, refused } from "../fake-cluster.ts";
import { declare, manifestsFrom, placement } from "./declare.ts";
import { applied } from "./live.ts";
import { release } from "./release-from.ts";

export interface PreviewedChange {
  /** The manifests of the current release and of the deployment, as `stage/id: …`. */
  readonly before: string;
  readonly after: string;
  /** Changes the live objects, and adds others. */
  readonly live?: (objects: readonly KubeObject[]) => readonly KubeObject[];
  readonly request?: Partial<PlanningRequest>;
  readonly require?: "reversible";
  /** True for the plan of a deployment, which has the lock. */
  readonly underLock?: boolean;
}

/** Plans a deployment in memory, with its rollback to the current release. */
export async function previewWithRollback(given: PreviewedChange): Promise<PlannedDeployment> {
  const { before, after, live = (objects) => objects, request = {}, require, underLock } = given;
  const { deployment, namespace } = placement;
  const declared = declare(before);
  const cluster = answering(fakeCluster(live(declared.map((each) => applied(each, deployment)))));
  const current = {
    ...release(3, "succeeded"),
    ...{ deployment, expandedConfig: toReleased(declared) },
    inventory: declared.map(({ id, stage, object }) => ({
      ...{ id, stage, apiVersion: object.apiVersion, after: [] },
    })),
  };
  const { source, layout, inputConfig: input } = current;
  const recorded = {
    ...createReleaseHistory([current]),
    ...{ secrets: [], unreadable: [], next: 4 },
  };
  return planDeployment(
    {
      ...{ cluster, source, predictsRollback: true, purpose: "deploy", dryRuns: "all" },
      request: { ...defaultRequest, ...request },
      deployment: { name: deployment, namespace, require } as never,
      recorded: Promise.resolve({ ok: true, value: recorded }),
      dryRunLock: underLock === true ? undefined : async () => undefined,
      now: "2026-01-02T03:04:05.000Z",
      timeoutMs: undefined,
      compareCommits: async () => "unknown",
      decompress: () => "",
      hash: (text) => createHash("sha256").update(text).digest("hex"),
    },
    { manifests: manifestsFrom(after), unsupported: [], input, layout, rollbackOf: undefined },
  );
}

/** Answers dry runs like the API server, as far as its rules for merges show it. */
function answering(cluster: FakeCluster): FakeCluster {
  return {
    ...cluster,
    apply: async (object, { fieldManager, force }) => {
      const live = cluster.get(keyOf(idOf(object)));
      if (live === undefined) return { ok: true, value: withMetadata(object, { uid: "new" }) };
      const conflicts = force ? [] : predictConflicts(live, object, fieldManager);
      const causes = conflicts.map(({ field, manager }) => ({
        ...{ reason: "FieldManagerConflict", field },
        message: `conflict with "${manager}" using ${object.apiVersion}`,
      }));
      if (causes.length > 0) return refused("conflict", 409, "conflicts", causes);
      return { ok: true, value: mergeLocally(live, object, fieldManager) };
    },
    patch: async (address, operations) => {
      const live = cluster.get(keyOf({ ...address, group: groupOf(address.apiVersion) }));
      if (live === undefined) return refused("not-found", 404, "not found");
      return { ok: true, value: applyJsonPatch(live, operations) };
    },
  };
}
