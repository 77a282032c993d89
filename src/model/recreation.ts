import { fieldOf } from "./json.ts";

const runningPods = "its Pods are gone until the new ones are ready";

const meanings: Readonly<Record<string, string>> = {
  Deployment: runningPods,
  StatefulSet: runningPods,
  DaemonSet: runningPods,
  ReplicaSet: runningPods,
  Rollout: runningPods,
  Service: "nothing reaches it until it is back, and its cluster IP may change",
  Job: "it runs once more",
  CronJob: "what it is running now is stopped",
};

/** What it means for users that an object is deleted and recreated. */
export function meaningOfRecreation(kind: string): string {
  return fieldOf(meanings, kind) ?? "it is absent for a moment";
}
