import type { LoadResult } from "../../test/support/node/load.ts";
import type { Origin } from "../origin.ts";
import type { DowntimeTable } from "./compare.ts";

export const downtimeTitle = "Requests lost by a deployment";

/** Returns a table of each change: failed requests of all requests, and the time of the change. */
export function downtimeText(
  tables: readonly DowntimeTable[],
  rounds: number,
  { commit, date, machine }: Origin,
): string {
  return [
    `## ${downtimeTitle}`,
    "",
    `\`npm run bench -- downtime\`, ${rounds} ${rounds === 1 ? "round" : "rounds"}, the tools in turn, commit ${commit}, ${date}.`,
    `${machine}; Kubernetes v1.36.4 with a real kubelet, containerd v2.3.7, kapp v0.64.2, Helm v4.3.2.`,
    "",
    "- Two replicas with a readiness probe and a preStop hook of 3 s, so all tools deploy the same good manifests. 100 requests per second by new connections, and 100 by kept ones.",
    '- "Until" is the time from the start of the tool until the last answer of the version before. "Stays" means that it still answers at the end.',
    "- `kubectl apply` deletes no object, so it keeps the old Service and the old ConfigMap.",
    "- Each tool waits at most 30 s for the rollout: `kubectl apply` and `kubectl rollout status`, `kapp deploy --wait-timeout`, `helm upgrade --install --wait`, `qvs deploy --timeout`.",
    "- To return, `kubectl rollout undo` and `kapp deploy` with the manifests before follow, or the tool has a flag: `--rollback-on-failure`, `--on-failure rollback`.",
    "",
    ...tables.flatMap(({ change, rows }) => [
      `| ${change} | failed | of requests | until, s |`,
      "|---|---:|---:|---|",
      ...rows.map(({ tool, loads, seconds }) =>
        [
          `| ${tool}`,
          sum(loads, "failed"),
          sum(loads, "requests").toLocaleString("en"),
          `${seconds.map((one) => one?.toFixed(1) ?? "stays").join(", ")} |`,
        ].join(" | "),
      ),
      "",
    ]),
  ].join("\n");
}

function sum(loads: readonly LoadResult[], what: "failed" | "requests"): number {
  return loads.reduce((all, one) => all + one[what], 0);
}
