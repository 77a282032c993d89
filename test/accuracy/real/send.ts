import { groupOf, type KubeObject, nameOf } from "../../../src/model/object.ts";
import { type Change, fieldManager } from "../../../src/model/plan/plan.ts";
import {
  ownershipTransferPatch,
  planOwnershipTransfer,
} from "../../../src/ssa/ownership-transfer.ts";
import type { TestCluster } from "../../support/cluster/use-cluster.ts";

const owner = { deployment: "demo", stage: "app" } as const;

/**
 * Returns the changes that the API server accepts. kubectl sends them like the deployment,
 * including the transfer of ownership from client-side tools.
 */
export async function accepted(
  cluster: TestCluster,
  changes: readonly Change[],
): Promise<{ readonly names: readonly string[] }> {
  const first = await applied(cluster, changes);
  const transferred: Change[] = [];
  for (const change of first)
    if (await transferOwnership(cluster, change.desired)) transferred.push(change);
  const stillAccepted = new Set(await applied(cluster, transferred));
  const names = first
    .filter((change) => !transferred.includes(change) || stillAccepted.has(change))
    .map(({ id }) => nameOf(id));
  return { names };
}

async function applied(
  cluster: TestCluster,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  if (changes.length === 0) return [];
  const list = { apiVersion: "v1", kind: "List", items: changes.map(({ desired }) => desired) };
  const manager = fieldManager(owner.deployment, owner.stage);
  const words = ["apply", "--server-side", `--field-manager=${manager}`, "-f", "-"];
  const output = await cluster.kubectlOutput(words, JSON.stringify(list));
  return changes.filter(({ desired }) =>
    output.includes(`/${desired.metadata["name"]} serverside-applied`),
  );
}

/**
 * Transfers the ownership of fields to the deployment. Returns whether any were transferred,
 * because the next apply then removes the undeclared ones.
 */
async function transferOwnership(cluster: TestCluster, object: KubeObject): Promise<boolean> {
  const { namespace, name } = object.metadata;
  const group = groupOf(object.apiVersion);
  const kind = group === "" ? object.kind : `${object.kind}.${group}`;
  const where = namespace === undefined ? [] : ["-n", String(namespace)];
  const named = [...where, kind, String(name)];
  const live: KubeObject = JSON.parse(
    await cluster.kubectl("get", ...named, "-o", "json", "--show-managed-fields"),
  );
  const transfer = planOwnershipTransfer(live, owner);
  if (transfer === undefined) return false;
  const patch = JSON.stringify(ownershipTransferPatch(live, transfer));
  await cluster.kubectl("patch", ...named, "--type=json", "-p", patch);
  return true;
}
