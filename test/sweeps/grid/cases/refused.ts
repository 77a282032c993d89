import {
  deployment,
  type Fields,
  type GridCase,
  type WorkloadOptions,
} from "../../../support/rollout-pieces.ts";
import { changed } from "../situations.ts";

const recreate = { strategy: { type: "Recreate", rollingUpdate: null } };

/** Pods that the API server rejects: some always, some only while others exist. */
const refused: readonly GridCase[] = [
  limited("above the most that the namespace allows", { max: { cpu: "4" } }, "5"),
  limited("as much as the namespace allows", { max: { cpu: "4" } }, "4"),
  limited("below the least that the namespace asks for", { min: { cpu: "1" } }, "500m"),
  limited("a whole Pod above what the namespace allows", { type: "Pod", max: { cpu: "4" } }, "5"),
  changed("a runtime that does not exist", {}, { pod: { runtimeClassName: "missing" } }),
  changed("a priority that does not exist", {}, { pod: { priorityClassName: "missing" } }),
  {
    ...changed(
      "a gate that nobody opens",
      {},
      { pod: { schedulingGates: [{ name: "example.com/g" }] } },
    ),
    isOpen: true,
  },
  counted("as many Pods as there are, one more at a time", { pods: "3" }, {}),
  counted("one Pod more than there are", { pods: "4" }, {}),
  counted(
    "as many Pods as there are, one fewer at a time",
    { pods: "3" },
    { unavailable: 1, surge: 0 },
  ),
  counted("as many Pods as there are, one more and one fewer", { pods: "3" }, { unavailable: 1 }),
  counted("as many Pods as there are, all stopped first", { pods: "3" }, { ...{ spec: recreate } }),
  counted("no Pods that end by themselves", { pods: "0" }, {}, ["Terminating"]),
  counted("no Pods that ask for nothing", { pods: "3" }, {}, ["BestEffort"]),
  counted("no Pods that ask for nothing, where they ask", { pods: "0" }, { cpu: "1" }, [
    "BestEffort",
  ]),
  {
    ...counted("CPUs that nobody asks for", { "requests.cpu": "8" }, {}),
    steps: [[deployment()]],
  },
  counted("CPUs for as many as there are", { "requests.cpu": "3" }, { cpu: "1" }),
  counted("CPUs for one more", { "requests.cpu": "4" }, { cpu: "1" }),
];

export const refusedClasses = { refused };

function limited(name: string, limits: Fields, cpu: string): GridCase {
  const kind = { apiVersion: "v1", kind: "LimitRange", metadata: { name: "bounds" } };
  const range = { ...kind, spec: { limits: [{ type: "Container", ...limits }] } };
  const container = (amount: string) => ({
    ...{ container: { resources: { requests: { cpu: amount }, limits: { cpu: amount } } } },
  });
  return { ...changed(name, container("2"), container(cpu)), around: [range] };
}

function counted(
  name: string,
  hard: Fields,
  options: WorkloadOptions,
  scopes?: readonly string[],
): GridCase {
  const kind = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "most" } };
  const quota = { ...kind, spec: { hard, ...(scopes && { scopes }) } };
  return { ...changed(`a quota of ${name}`, options, options), around: [quota] };
}
