import type { Manifests } from "../support/cluster/manifests-in.ts";

/**
 * Sets the owners of an object: `own child by parent,other`, or
 * `own secret/db by externalsecret/db`. A name alone means a ConfigMap.
 * `nobody` removes all owners.
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
