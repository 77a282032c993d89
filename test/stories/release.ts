import type { Manifests } from "../support/cluster/manifests-in.ts";

/** Removes the finalizers of all objects with a label: `release pods app=web`. */
export async function release(
  { kubectl }: Manifests,
  [kind = "", label = ""]: readonly string[],
): Promise<string> {
  const names = await kubectl("get", kind, "--selector", label, "-o", "name");
  const patched = names
    .split("\n")
    .filter((name) => name !== "")
    .map((name) =>
      kubectl("patch", name, "--type=merge", "-p", '{"metadata":{"finalizers":null}}'),
    );
  return (await Promise.all(patched)).join("");
}
