import type { Manifests } from "../support/cluster/manifests-in.ts";

/**
 * Lets one object name others as its owners: `own child by parent,other`, `own secret/db by
 * externalsecret/db`; a name alone is that of a ConfigMap. `nobody` stands for no owner.
 */
export async function own(
  { kubectl }: Manifests,
  [name = "", , by = ""]: readonly string[],
): Promise<string> {
  const names = by === "nobody" ? [] : by.split(",");
  const ownerReferences = await Promise.all(
    names.map(async (owner) => {
      const path = "{.apiVersion} {.kind} {.metadata.name} {.metadata.uid}";
      const text = await kubectl("get", withKind(owner), "-o", `jsonpath=${path}`);
      const [apiVersion, kind, found, uid] = text.trim().split(" ");
      return { apiVersion, kind, name: found, uid };
    }),
  );
  const patch = JSON.stringify({ metadata: { ownerReferences } });
  return kubectl("patch", withKind(name), "--type=merge", "-p", patch);
}

function withKind(name: string): string {
  return name.includes("/") ? name : `configmap/${name}`;
}
