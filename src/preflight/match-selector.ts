import { at, fieldOf, type JsonObject, numberAt } from "../model/json.ts";
import { kindKey } from "../model/kinds.ts";
import { idOf, type KubeObject } from "../model/object.ts";
import { labelsAt } from "./scheduling/selectors.ts";

/**
 * The result of matching a Service's selector with Pods.
 * It is `unknown` if the selector requires a value that only the controller of the Pods creates.
 */
export type SelectorMatch = "yes" | "no" | "unknown";

/** Matches a selector with the labels of a template and of its controller, or of a Pod itself. */
export function matchSelector(selector: JsonObject, workload: KubeObject): SelectorMatch {
  const labels = labelsAt(readPodLabels(workload));
  const answers = Object.entries(selector).map(([name, value]): SelectorMatch => {
    const added = fieldOf(addedLabels, kindKey(idOf(workload)));
    const matcher = added && fieldOf(added, name);
    if (matcher !== undefined && typeof value === "string") return matcher(value, workload);
    return fieldOf(labels, name) === value ? "yes" : "no";
  });
  if (answers.includes("no")) return "no";
  return answers.includes("unknown") ? "unknown" : "yes";
}

/** Reports whether an object creates Pods with labels, or is such a Pod. */
export function hasLabeledPods(workload: KubeObject): boolean {
  return readPodLabels(workload) !== undefined;
}

function readPodLabels(workload: KubeObject) {
  const path = workload.kind === "Pod" ? ["metadata"] : ["spec", "template", "metadata"];
  return at(workload, ...path, "labels");
}

type LabelMatcher = (value: string, maker: KubeObject) => SelectorMatch;

const controllerGenerated: LabelMatcher = () => "unknown";

const matchesJobName: LabelMatcher = (value, job) => (value === idOf(job).name ? "yes" : "no");

/** The labels that controllers add, whatever the template contains. */
const addedLabels: Readonly<Record<string, Readonly<Record<string, LabelMatcher>>>> = {
  "apps/Deployment": { "pod-template-hash": controllerGenerated },
  "apps/StatefulSet": {
    "controller-revision-hash": controllerGenerated,
    "apps.kubernetes.io/pod-index": (value, set) => matchesOrdinal(value, set),
    "statefulset.kubernetes.io/pod-name": (value, set) => {
      const prefix = `${idOf(set).name}-`;
      return value.startsWith(prefix) ? matchesOrdinal(value.slice(prefix.length), set) : "no";
    },
  },
  "apps/DaemonSet": {
    "controller-revision-hash": controllerGenerated,
    "pod-template-generation": controllerGenerated,
  },
  "batch/Job": {
    "job-name": matchesJobName,
    "batch.kubernetes.io/job-name": matchesJobName,
    "controller-uid": controllerGenerated,
    "batch.kubernetes.io/controller-uid": controllerGenerated,
    "batch.kubernetes.io/job-completion-index": controllerGenerated,
  },
  "argoproj.io/Rollout": { "rollouts-pod-template-hash": controllerGenerated },
};

function matchesOrdinal(text: string, set: KubeObject): SelectorMatch {
  if (!/^(0|[1-9]\d*)$/.test(text)) return "no";
  const replicas = numberAt(set, "spec", "replicas");
  const start = numberAt(set, "spec", "ordinals", "start") ?? 0;
  const ordinal = Number(text);
  if (ordinal < start) return "no";
  if (replicas === undefined) return "unknown";
  return ordinal < start + replicas ? "yes" : "no";
}
