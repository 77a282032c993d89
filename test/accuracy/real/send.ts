import { groupOf, type KubeObject, nameOf } from "../../../src/model/object.ts";
import { type Change, fieldManager } from "../../../src/model/plan.ts";
import {
  ownershipTransferPatch,
  planOwnershipTransfer,
} from "../../../src/ssa/ownership-transfer.ts";
import type { TestCluster } from "../../support/cluster/use-cluster.ts";

const owner = { deployment: "demo", stage: "app" } as const;

/** Those that the server takes, sent by kubectl as the deployment would send them, what it takes over from client-side tools included. */
export async function accepted(
  cluster: TestCluster,
  changes: readonly Change[],
): Promise<{ readonly names: readonly string[] }> {
  const taken = await applied(cluster, changes);
  const left: Change[] = [];
  for (const change of taken) if (await takeOver(cluster, change.desired)) left.push(change);
  const stillTaken = new Set(await applied(cluster, left));
  const names = taken
    .filter((change) => !left.includes(change) || stillTaken.has(change))
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
  const said = await cluster.kubectlSays(words, JSON.stringify(list));
  return changes.filter(({ desired }) =>
    said.includes(`/${desired.metadata["name"]} serverside-applied`),
  );
}

/** Whether anything was left of others that becomes the deployment's, so that what it does not declare goes with the next apply. */
async function takeOver(cluster: TestCluster, object: KubeObject): Promise<boolean> {
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
