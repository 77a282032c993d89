import { textAt } from "../../model/json.ts";
import { type KubeObject, uidOf } from "../../model/object.ts";
import type { Deletion } from "../../model/plan.ts";
import { protectionOf } from "../../model/protection.ts";
import type { Cluster, ClusterFailure, ObjectAddress } from "../../ports.ts";
import { type Explanation, explainFailure } from "../failure/explain-failure.ts";

export type Requested =
  /** It is on its way out. */
  | { readonly state: "requested" }
  | { readonly state: "gone" }
  /** It is not what was planned to be deleted any more, so it stays. */
  | { readonly state: "kept"; readonly why: string }
  | { readonly state: "failed"; readonly explanation: Explanation };

export interface RequestContext {
  readonly cluster: Cluster;
  readonly deployment: string;
  readonly signal: AbortSignal;
  readonly onSending: () => void;
}

/**
 * Asks for the deletion of one object as it is at this moment: the plan may be an hour old, and whoever protected the
 * object or took it over meanwhile is obeyed. A change between this look and the request leads to another look.
 */
export async function requestDeletion(
  deletion: Deletion,
  address: ObjectAddress,
  context: RequestContext,
): Promise<Requested> {
  const { cluster, deployment, onSending } = context;
  for (let attempt = 0; ; attempt += 1) {
    const read = await cluster.read(address);
    if (!read.ok) return afterFailure(read.failure, address);
    const verdict = judge(read.value, deletion, deployment);
    if (verdict !== undefined) return verdict;
    if (attempt === 0) onSending();
    const answer = await cluster.delete(address, deletion.uid, versionOf(read.value));
    if (answer.ok) return { state: "requested" };
    if (answer.failure.reason !== "conflict" || attempt >= retries || context.signal.aborted) {
      return afterFailure(answer.failure, address);
    }
  }
}

const retries = 10;

/** What a look at the object decides by itself; undefined when it is to be deleted. */
function judge(
  live: KubeObject | undefined,
  deletion: Deletion,
  deployment: string,
): Requested | undefined {
  if (live === undefined) return { state: "gone" };
  if (uidOf(live) !== deletion.uid) {
    const why = "another object took its name after the plan was made; it is left alone";
    return { state: "kept", why };
  }
  if (textAt(live, "metadata", "deletionTimestamp") !== undefined) return { state: "requested" };
  const protection = protectionOf(live, deployment, deletion);
  if (protection === undefined) return undefined;
  const { why, detail } = protection;
  const since = why === "keepOnDelete" ? "it is kept since" : "it is not ours since";
  return { state: "kept", why: `${since} the plan was made: ${detail}` };
}

function versionOf(object: KubeObject | undefined): string | undefined {
  return textAt(object, "metadata", "resourceVersion");
}

function afterFailure(failure: ClusterFailure, { kind }: ObjectAddress): Requested {
  if (failure.reason === "not-found") return { state: "gone" };
  return { state: "failed", explanation: explainFailure(failure, { kind }) };
}
