import { at, listAt } from "../../model/json.ts";
import { annotation, type KubeObject, label } from "../../model/object.ts";
import {
  type ControllerInput,
  createShape,
  isUnready,
  newHash,
  revisionHash,
  revisionLabel,
} from "./controller-input.ts";
import type { DaemonPod } from "./daemon-set-controller.ts";

const generationLabel = "pod-template-generation";
const generationAnnotation = "deprecated.daemonset.template.generation";

export function daemonPods(input: ControllerInput) {
  const { workload, own, assumption, state } = input;
  const { live, uid, hasSameTemplate, change, spec } = workload;
  const generation = live === undefined ? undefined : annotation(live, generationAnnotation);
  const pods = own
    .filter(({ controller }) => controller === uid && uid !== "")
    .map((pod): DaemonPod => {
      const isNew = hasSameTemplate && label(pod.object, generationLabel) === generation;
      return {
        ...{ shape: pod.shape, owner: pod.owner, node: pod.node, isNew },
        target: pod.node?.name ?? targetNode(pod.object),
        isBroken: isUnready(pod, assumption) && !isNew,
      };
    });
  const sample = state.samples.get(change.key);
  const running = own.find(({ object }) => label(object, generationLabel) === generation);
  const [revision, next] = hasSameTemplate
    ? [revisionHash(running?.object), generation]
    : [revisionHash(sample), sample && label(sample, generationLabel)];
  const shape = createShape(
    sample ?? at(assumption.spec ?? spec, "template"),
    { [revisionLabel]: revision ?? newHash, [generationLabel]: next ?? newHash },
    { state, workload },
  );
  return { live: pods, owner: change.key, shape };
}

/** Returns the node that a waiting Pod of a DaemonSet belongs to. */
function targetNode(pod: KubeObject): string {
  const terms = listAt(
    pod,
    ...["spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"],
    "nodeSelectorTerms",
  );
  const [field] = terms.flatMap((term) => listAt(term, "matchFields"));
  const [name] = listAt(field, "values");
  return typeof name === "string" ? name : "";
}
