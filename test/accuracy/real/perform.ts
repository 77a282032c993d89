import type { KubeObject } from "../../../src/model/object.ts";
import type { TestCluster } from "../../support/cluster/use-cluster.ts";

/**
 * Arguments of kubectl, and its input for `-f -`. In both, `uidOf(NAME)` is replaced by the UID of
 * that object.
 */
export interface Command {
  readonly words: readonly string[];
  readonly input?: KubeObject;
}

export function uidOf(name: string): string {
  return `uidOf(${name})`;
}

/**
 * Runs the command. Ignores rejections by the API server, and does nothing if an owner doesn't
 * exist.
 */
export async function perform(
  { words, input }: Command,
  cluster: TestCluster,
  namespace: string,
): Promise<void> {
  const inNamespace = ["-n", namespace];
  const texts = [...words, JSON.stringify(input) ?? ""];
  const names = texts.flatMap((text) => [...text.matchAll(/uidOf\(([^)]*)\)/g)]);
  const uids = new Map<string, string>();
  for (const [, name = ""] of names) {
    const uid = await cluster.kubectlOutput(
      ["get", ...inNamespace, name, "-o", "jsonpath={.metadata.uid}"],
      "",
    );
    if (uid.startsWith("Error")) return;
    uids.set(name, uid);
  }
  const known = texts.map((text) =>
    text.replaceAll(/uidOf\(([^)]*)\)/g, (_, name) => uids.get(name) ?? ""),
  );
  await cluster.kubectlOutput([...inNamespace, ...known.slice(0, -1)], known.at(-1) ?? "");
}
