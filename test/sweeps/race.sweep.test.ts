import { beforeAll, expect, test } from "vitest";
import { openCluster } from "../../src/io/kubernetes/cluster.ts";
import { connect } from "../../src/io/kubernetes/kubeconfig/connect.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { type AuditEvent, earlyDeletions, eventsIn } from "../support/cluster/audit-events.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import type { QvsResult } from "../support/qvs/run-qvs.ts";
import { startApiProxy } from "../support/servers/api-proxy.ts";
import { readState } from "./cluster-state.ts";
import { type Demo, demoIn, type Version } from "./demo.ts";
import { flaw, flawsOfSuccess } from "./judge.ts";
import { useDeploy } from "./run-deploy.ts";
import { inLanes, type Row, tableOf } from "./table.ts";

/** Starts two real programs that read the lock at exactly the same time. */
const cluster = useCluster();
const deploy = useDeploy();
let direct: Cluster;

beforeAll(async () => {
  const kubeconfig = { path: cluster.kubeconfigFor("kubectl") };
  direct = openCluster(await connect({ kubeconfig, env: {} }));
});

interface Racer {
  readonly demo: Demo;
  /** The name in the audit log. */
  readonly name: string;
  readonly flags: readonly string[];
}

interface Raced extends QvsResult {
  readonly pid: number | undefined;
}

/**
 * Starts all programs. None reads the lock before all are ready to read it. If they share one lock,
 * its holder records nothing until another program has read it again and found it held.
 */
async function race(racers: readonly Racer[], locks: "one" | "many"): Promise<readonly Raced[]> {
  let noticed = () => {};
  const held = new Promise<void>((resolve) => (noticed = resolve));
  let missing = racers.length;
  let letGo = () => {};
  const all = new Promise<void>((resolve) => (letGo = resolve));
  const arrived = async () => {
    missing -= 1;
    if (missing === 0) letGo();
    await all;
  };
  return Promise.all(
    racers.map(async ({ demo, name, flags }) => {
      const proxy = await startApiProxy(cluster.kubeconfig, demo.folder, name);
      let looks = 0;
      proxy.setRule(({ resource, verb, text }) => {
        if (locks === "one" && text === "create secrets") return { before: () => held };
        if (resource !== "leases" || verb !== "read") return undefined;
        looks += 1;
        // The first request checks the permissions.
        if (looks === 1) return undefined;
        return looks === 2 ? { before: arrived } : { after: noticed };
      });
      const running = demo.start("deploy", "--kubeconfig", proxy.kubeconfig, ...flags);
      const result = await running.result;
      await proxy.settled();
      await proxy.close();
      return { ...result, pid: running.child.pid };
    }),
  );
}

/** One namespace and two repositories that deploy different versions of the same objects to it. */
interface Lane {
  readonly demos: Readonly<Record<Version, Demo>>;
  readonly objects: Readonly<Record<Version, string>>;
}

async function openLane(): Promise<Lane> {
  const blue = await demoIn(cluster);
  const green = await demoIn(cluster, blue.namespace);
  const objects = { blue: "", green: "" };
  blue.declareVersion("blue");
  green.declareVersion("green");
  const demos = { blue, green };
  for (const version of ["blue", "green", "blue"] as const) {
    expect(await deploy(demos[version], cluster.kubeconfig)).toEqual({
      code: 0,
      text: "",
      kept: [],
    });
    objects[version] = (await readState(direct, blue.namespace)).objects;
  }
  return { demos, objects };
}

async function runRound({ demos, objects }: Lane, round: number): Promise<Row> {
  const patient = round % 2 === 0;
  const flags = patient ? [] : ["--no-wait-for-lock"];
  const names = { blue: `blue-${round}`, green: `green-${round}` };
  const { namespace } = demos.blue;
  // Gives both runs something to change, also the one whose version is current. A run without a
  // change records no release.
  const own = ["only-blue", "only-green"];
  await cluster.kubectl("delete", "configmap", ...own, "--ignore-not-found", "-n", namespace);
  const [blue, green] = await race(
    [
      { demo: demos.blue, name: names.blue, flags },
      { demo: demos.green, name: names.green, flags },
    ],
    "one",
  );
  if (blue === undefined || green === undefined) throw new Error("a race has two results");
  const agents = agentsOf(eventsIn(await cluster.auditLogSoFar(), namespace)).filter((agent) =>
    [`qvs/${names.blue}`, `qvs/${names.green}`].includes(agent),
  );
  const lastToWrite = agents.at(-1) === `qvs/${names.blue}` ? "blue" : "green";
  const state = await readState(direct, namespace);
  const [first, second] = agents[0] === `qvs/${names.blue}` ? [blue, green] : [green, blue];
  const said = patient
    ? `Waiting for the deployment lock, held by ${/\S+@\S+/.exec(second.stderr)?.[0]} (pid ${first.pid})`
    : `Deployment "demo" is locked by ${/\S+@\S+/.exec(second.stderr)?.[0]} (pid ${first.pid})`;
  return {
    position: round,
    request: `${agents.join(" → ")}`,
    fault: patient ? "both wait" : "nobody waits",
    outcome: `ended with ${first.code}`,
    second: `ended with ${second.code}${second.stderr.includes(said) ? ", said who holds the lock" : ""}`,
    flaws: [
      ...flaw(agents.length !== (patient ? 2 : 1), `writes in turns: ${agents.join(" → ")}`),
      ...flaw(first.code !== 0, `the first ended with ${first.code}:\n${first.stderr}`),
      ...flaw(
        second.code !== (patient ? 0 : 1),
        `the other ended with ${second.code}:\n${second.stderr}`,
      ),
      ...flaw(!second.stderr.includes(said), `it does not say "${said}":\n${second.stderr}`),
      ...flaw(!patient && !second.stderr.includes("Nothing was changed."), second.stderr),
      ...flawsOfSuccess(state, objects[lastToWrite]),
    ],
  };
}

/** Returns the user agents of consecutive writes, each once per turn. */
function agentsOf(events: readonly AuditEvent[]): readonly string[] {
  const agents = events.filter(({ user }) => user === "admin").map(({ userAgent }) => userAgent);
  return agents.filter((agent, index) => agent !== agents[index - 1]);
}

test("the second of two concurrent runs waits or fails by name, and their writes never mix", async () => {
  const lanes = await Promise.all([openLane(), openLane()]);
  const rounds = Array.from({ length: 10 }, (_, index) => index + 1);
  const rows = await inLanes(lanes, rounds, runRound);
  console.log(tableOf("Two runs of one deployment at once", rows));
  expect(rows.filter(({ flaws }) => flaws.length > 0)).toEqual([]);
  const log = await cluster.auditLogSoFar();
  expect(lanes.flatMap(({ demos }) => earlyDeletions(eventsIn(log, demos.blue.namespace)))).toEqual(
    [],
  );
});

test("the second of two deployments that declare one object gets an error with the owner", async () => {
  const demo = await demoIn(cluster);
  const other = await demoIn(cluster, demo.namespace);
  const shared = (value: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: shared}
data: {value: ${value}}
`;
  demo.declare({ app: shared("demo") });
  other.write(".valuestream/deployments.yaml", "deployments: [{name: other, config: qvs.yaml}]");
  other.declare({ app: shared("other") });

  const results = await race(
    [
      { demo, name: "demo", flags: [] },
      { demo: other, name: "other", flags: [] },
    ],
    "many",
  );
  const [winner, loser] = results[0]?.code === 0 ? ["demo", results[1]] : ["other", results[0]];
  expect(results.map(({ code }) => code).toSorted()).toEqual([0, 1]);
  // The second one can even plan after the first one has written.
  expect(loser?.stderr).toMatch(
    new RegExp(`qvs-${winner}-app\\b|belongs to the deployment ${winner}\\b`),
  );
  expect(await demo.kubectl("get", "configmap", "shared", "-o", "jsonpath={.data.value}")).toBe(
    winner,
  );

  // In later runs, the plan is already rejected, before any write.
  const again = await (winner === "demo" ? other : demo).qvs("deploy");
  expect(again.code).toBe(1);
  expect(again.stderr).toContain(`${winner}`);
  expect(again.stderr).toContain("Nothing was changed.");
});
