import type { ClusterAddress } from "./address.ts";
import { ask } from "./api/ask.ts";

const resource = "horizontalpodautoscalers";

/** The fields of a list that this file reads. */
interface List {
  readonly items: readonly { readonly metadata: { readonly namespace: string } }[];
}

/**
 * Deletes the autoscalers in namespaces whose tests have ended. The controller evaluates each of
 * them every second, with several requests, until the control plane stops.
 */
export async function removeAutoscalers(
  address: Pick<ClusterAddress, "directory" | "server">,
  namespaces: ReadonlySet<string>,
): Promise<void> {
  const { items }: List = JSON.parse(await ask(address, `/apis/autoscaling/v2/${resource}`));
  const found = new Set(items.map(({ metadata }) => metadata.namespace));
  for (const namespace of found.intersection(namespaces)) {
    const path = `/apis/autoscaling/v2/namespaces/${namespace}/${resource}`;
    await ask(address, path, { method: "DELETE" });
  }
}
