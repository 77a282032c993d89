import type { Origin } from "../../bench/origin.ts";
import { around } from "./figures.ts";
import type { SoakResult } from "./soak.ts";
import { flawsOf } from "./verdict.ts";

/** Returns the page with the results, as Markdown. */
export function reportOf(result: SoakResult, { machine, commit, date }: Origin): string {
  const { minutes, seed, steps, simulated } = result;
  const flags = simulated ? "--simulated " : "";
  const nodes = simulated ? "simulated nodes" : "a real kubelet, containerd v2.3.7";
  return [
    "# Soak",
    "",
    `\`npm run soak -- ${flags}--minutes ${minutes} --seed ${seed}\`, commit ${commit}, ${date}.`,
    `${machine}; Kubernetes v1.36.4 with ${nodes}.`,
    "",
    `- ${steps} random steps: deployments, broken versions, rollbacks, previews and drift. During most runs, a program of the control plane is killed, the network fails, or qvs is killed. After each failure, an undisturbed run must describe the state correctly and repair it.`,
    "- A controller corrects another deployment, while another user edits and deletes its objects and its connection fails.",
    simulated
      ? "- Simulated nodes run no containers, so no requests are sent."
      : "- Requests go to the Service of the application during the whole soak, 20 per second by new connections and 20 by kept ones. While the control plane is interrupted, Services can lead to ended Pods, so these requests count separately.",
    "",
    "| | |",
    "|---|---|",
    ...rowsOf(result).map(([name, value]) => `| ${name} | ${value} |`),
    "",
  ].join("\n");
}

/** Returns the rows of the table, such as `runs of deploy` and `30 succeeded, 4 failed`. */
export function rowsOf(result: SoakResult): readonly (readonly [string, string])[] {
  const { figures, load, lost } = result;
  const samples = [0.1, 0.5, 1].map((part) => around(figures.samples, part));
  return [
    ...sorted(figures.runs).map(([command, outcomes]): [string, string] => [
      `runs of \`qvs ${command}\``,
      textOf(outcomes),
    ]),
    ...sorted(figures.disturbances).map(([name, { happened, failed }]): [string, string] => [
      name,
      `${happened}, of which ${failed} made the run fail`,
    ]),
    ["failed runs by error", textOf(figures.codes)],
    ["repaired by the next run", `${figures.repaired}`],
    ["previews and drift compared with the cluster", `${figures.compared}`],
    ["objects that a disturbed run left for the next one", `${figures.leftForLater}`],
    ["most records of a deployment", `${figures.records}`],
    ["edits of the other user", `${result.watched.edits}`],
    ["interrupted connections of the controller", `${result.watched.disconnections}`],
    ["SIGKILL of the controller's second replica", `${result.watched.kills}`],
    ["checks by the controller", textOf(result.checks)],
    [
      "memory of the controller at 10, 50 and 100 %",
      `${samples.map((one) => one.residentMb.toFixed(0)).join(", ")} MB`,
    ],
    ["handles of the controller at 10, 50 and 100 %", samples.map((one) => one.handles).join(", ")],
    ["held Leases and running processes at the end", `${result.leases.length}`],
    ["files left by qvs", `${result.files.length}`],
    ...(load === undefined ? [] : [lostRow(load.requests, lost)]),
    ["flaws", `${flawsOf(result).length}`],
  ];
}

function lostRow(requests: number, { outside, during }: SoakResult["lost"]): [string, string] {
  const lost = `${outside.length} of ${requests.toLocaleString("en")}`;
  return [
    "lost requests",
    `${lost}; ${during.length} more while the control plane was interrupted`,
  ];
}

function sorted<T>(counts: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function textOf(counts: ReadonlyMap<string, number>): string {
  const texts = sorted(counts).map(([name, count]) => `${count} ${name}`);
  return texts.join(", ") || "none";
}
