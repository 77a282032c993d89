import { at, fieldOf, type JsonObject, numberAt } from "../model/json.ts";
import { groupOf, idOf, type KubeObject } from "../model/object.ts";
import { labelsAt } from "./scheduling/selectors.ts";

/**
 * The result of matching a Service's selector with Pods.
 * It is `unknown` if the selector requires a value that only the controller of the Pods creates.
 */
export type Selection = "yes" | "no" | "unknown";

/** Matches a selector with the labels of a template and of its controller, or of a Pod itself. */
export function selectionOf(selector: JsonObject, maker: KubeObject): Selection {
  const labels = labelsAt(labelsOfPods(maker));
  const answers = Object.entries(selector).map(([name, value]): Selection => {
    const added = fieldOf(addedLabels, `${groupOf(maker.apiVersion)}/${maker.kind}`);
    const judge = added && fieldOf(added, name);
    if (judge !== undefined && typeof value === "string") return judge(value, maker);
    return fieldOf(labels, name) === value ? "yes" : "no";
  });
  if (answers.includes("no")) return "no";
  return answers.includes("unknown") ? "unknown" : "yes";
}

/** Reports whether an object creates Pods with labels, or is such a Pod. */
export function hasLabelledPods(maker: KubeObject): boolean {
  return labelsOfPods(maker) !== undefined;
}

function labelsOfPods(maker: KubeObject) {
  const path = maker.kind === "Pod" ? ["metadata"] : ["spec", "template", "metadata"];
  return at(maker, ...path, "labels");
}

type Judge = (value: string, maker: KubeObject) => Selection;

const madeByController: Judge = () => "unknown";

const nameOfJob: Judge = (value, job) => (value === idOf(job).name ? "yes" : "no");

/** The labels that controllers add, whatever the template contains. */
const addedLabels: Readonly<Record<string, Readonly<Record<string, Judge>>>> = {
  "apps/Deployment": { "pod-template-hash": madeByController },
  "apps/StatefulSet": {
    "controller-revision-hash": madeByController,
    "apps.kubernetes.io/pod-index": (value, set) => ofOrdinal(value, set),
    "statefulset.kubernetes.io/pod-name": (value, set) => {
      const prefix = `${idOf(set).name}-`;
      return value.startsWith(prefix) ? ofOrdinal(value.slice(prefix.length), set) : "no";
    },
  },
  "apps/DaemonSet": {
    "controller-revision-hash": madeByController,
    "pod-template-generation": madeByController,
  },
  "batch/Job": {
    "job-name": nameOfJob,
    "batch.kubernetes.io/job-name": nameOfJob,
    "controller-uid": madeByController,
    "batch.kubernetes.io/controller-uid": madeByController,
    "batch.kubernetes.io/job-completion-index": madeByController,
  },
  "argoproj.io/Rollout": { "rollouts-pod-template-hash": madeByController },
};

function ofOrdinal(text: string, set: KubeObject): Selection {
  if (!/^(0|[1-9]\d*)$/.test(text)) return "no";
  const replicas = numberAt(set, "spec", "replicas");
  const start = numberAt(set, "spec", "ordinals", "start") ?? 0;
  const ordinal = Number(text);
  if (ordinal < start) return "no";
  if (replicas === undefined) return "unknown";
  return ordinal < start + replicas ? "yes" : "no";
}
