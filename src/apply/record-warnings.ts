import { withSecretKind } from "../model/apply-time-reference.ts";
import type { ApiResult } from "../model/cluster/api-failure.ts";
import { warningNotices } from "../model/cluster/api-warnings.ts";
import { groupOf, idOf, keyOf } from "../model/object.ts";
import type { Plan } from "../model/plan.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { canContainSecrets } from "../redaction/sensitive-object.ts";
import { showableWarning } from "../redaction/showable-rejection.ts";
import type { SecretScrubber } from "./secret-scrubber.ts";

/** A cluster client that records the API server's warnings about the objects of a plan. */
export interface WarningRecorder {
  readonly cluster: Cluster;
  /** Returns the warnings that the plan doesn't contain yet. */
  notices(): readonly Problem[];
}

/**
 * Records the API server's warnings while a plan is applied.
 * Most objects are sent only once, without a dry run, so these warnings are new to the reader of
 * the result.
 */
export function recordWarnings(
  cluster: Cluster,
  { changes }: Plan,
  secrets: SecretScrubber,
): WarningRecorder {
  const recorded = new Map<string, Set<string>>();
  const record = <T>(key: string, answer: ApiResult<T>): ApiResult<T> => {
    for (const text of answer.warnings ?? []) {
      recorded.set(key, (recorded.get(key) ?? new Set()).add(text));
    }
    return answer;
  };
  return {
    cluster: {
      ...cluster,
      apply: async (object, options) =>
        record(keyOf(idOf(object)), await cluster.apply(object, options)),
      patch: async (address, ...patched) => {
        const id = { ...address, group: groupOf(address.apiVersion) };
        return record(keyOf(id), await cluster.patch(address, ...patched));
      },
    },
    notices: () =>
      warningNotices(
        changes.map((change) => {
          const { key, id, desired, warnings: known = [] } = change;
          const mayQuote = !canContainSecrets(withSecretKind(desired, change));
          const texts = [...(recorded.get(key) ?? [])].map((text) =>
            secrets.scrub(showableWarning(text, desired, mayQuote)),
          );
          return { id, warnings: [...new Set(texts)].filter((text) => !known.includes(text)) };
        }),
      ),
  };
}
