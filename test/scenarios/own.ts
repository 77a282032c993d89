import type { Manifests } from "../support/manifests-in.ts";

/** `own child by parent,other`: the ConfigMap names these as its owners; `nobody` for none. */
export async function own(
  { kubectl }: Manifests,
  [name = "", , by = ""]: readonly string[],
): Promise<string> {
  const names = by === "nobody" ? [] : by.split(",");
  const ownerReferences = await Promise.all(
    names.map(async (owner) => {
      const uid = await kubectl("get", "configmap", owner, "-o", "jsonpath={.metadata.uid}");
      return { apiVersion: "v1", kind: "ConfigMap", name: owner, uid };
    }),
  );
  const patch = JSON.stringify({ metadata: { ownerReferences } });
  return kubectl("patch", "configmap", name, "--type=merge", "-p", patch);
}
