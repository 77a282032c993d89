import { keepOnDeleteAnnotation, replaceAnnotation } from "../../model/annotations.ts";
import { isImmutable, isWithinImmutable } from "../../model/api-words.ts";
import { annotation, idOf, type KubeObject, withMetadata } from "../../model/object.ts";
import type { StepOf } from "../../model/plan.ts";
import type { Candidate, DryRunResult, StepKind, Trial } from "./step.ts";

/** Makes an object again that asks for it, where a field of it can't be changed (docs/reference/ownership.md#recreate). */
export const recreate: StepKind<StepOf<"recreate">> = {
  detect,
  assume: () => undefined,
  execution: () => ({ by: "delete" }),
  describe: () => [],
  // The plan's action says it.
  digest: () => ({}),
};

/** Immutability must be all that is wrong. Whether the server would accept the new object, it says under a name that is free. */
function detect(candidate: Candidate, soFar: DryRunResult): Trial | undefined {
  const { object, live, recreated } = candidate;
  const { answer, alone, lossFix } = soFar;
  const refused = lossFix === undefined ? alone : answer;
  if (answer.ok || refused.ok || recreated === undefined) return undefined;
  const { reason, causes } = refused.failure;
  const onlyImmutable =
    reason === "invalid" &&
    causes.length > 0 &&
    causes.every((cause) => isImmutable(cause) || isWithinImmutable(cause, causes));
  if (!onlyImmutable || !asksToBeReplaced(object) || !isReplaceable(object, live)) return undefined;
  return {
    requests: [{ verb: "apply", object: withTemporaryName(recreated), force: false }],
    conclude: ([made]) => {
      if (made?.ok !== true) return soFar;
      const value = withMetadata(made.value, { name: idOf(object).name });
      const steps = [{ type: "recreate" }, { type: "apply" }] as const;
      return { alone, answer: { ok: true, value }, steps };
    },
  };
}

/** These take more with them than themselves, or hold data. */
const neverReplaced: ReadonlySet<string> = new Set([
  "Namespace",
  "CustomResourceDefinition",
  "PersistentVolumeClaim",
]);

/** Whether an object may be replaced where that is asked for. */
export function isReplaceable(object: KubeObject, live: KubeObject): boolean {
  const isKept = [object, live].some(
    (each) => annotation(each, keepOnDeleteAnnotation) !== undefined,
  );
  return !neverReplaced.has(object.kind) && !isKept;
}

export function asksToBeReplaced(object: KubeObject): boolean {
  return annotation(object, replaceAnnotation) === "true";
}

/** Short enough that every kind of name can be made longer by our ending. */
const keptLength = 40;

/** The object as if there were none of its name, for a dry-run that shows what the server would make of it. */
export function withTemporaryName(object: KubeObject): KubeObject {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  const name = `${idOf(object).name.slice(0, keptLength)}-qvs-preview`;
  return { ...object, metadata: { ...metadata, name } };
}
