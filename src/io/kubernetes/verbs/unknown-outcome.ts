import type { ApiResult } from "../../../model/cluster/api-failure.ts";
import { fieldOf, isList, isObject, type Json } from "../../../model/json.ts";
import { addressOf, type KubeObject } from "../../../model/object.ts";
import type { FailedAnswer } from "../transport/failure.ts";
import type { Api } from "./api.ts";
import { read } from "./read.ts";

/**
 * Resolves a write whose answer was lost. If the live object contains everything that qvs sent, the
 * write was carried out. A write of managedFields stays unresolved: the API server rewrites them,
 * so qvs can't compare them.
 */
export async function resolveUnknownOutcome(
  api: Api,
  sent: KubeObject,
  failed: FailedAnswer,
): Promise<ApiResult<KubeObject>> {
  if (sent.metadata.managedFields !== undefined) return failed;
  const live = await read(api, addressOf(sent));
  if (!live.ok || live.value === undefined) return failed;
  return containsAll(live.value, withoutCounters(sent)) ? { ok: true, value: live.value } : failed;
}

/** Drops the counters, which change with every write. */
function withoutCounters(object: KubeObject): Json {
  const { resourceVersion, generation, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Reports whether `live` has every field of `sent`. It can have more fields, e.g. defaults. */
function containsAll(live: Json | undefined, sent: Json): boolean {
  if (isList(sent)) {
    if (!isList(live) || live.length !== sent.length) return false;
    return sent.every((item, index) => containsAll(live[index], item));
  }
  if (isObject(sent)) {
    return Object.entries(sent).every(([field, value]) => {
      return value === null || (isObject(live) && containsAll(fieldOf(live, field), value));
    });
  }
  return live === sent;
}
