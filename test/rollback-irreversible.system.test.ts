import { expect, test } from "vitest";
import { useCluster } from "./support/cluster.ts";
import { type Manifests, manifestsIn } from "./support/manifests-in.ts";

/** Each release that succeeded comes back exactly, from the records alone; what can't come back is told first. */
const cluster = useCluster();

const settings = (name: string, value: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, annotations: {vs.axis-dev.io/keepOnDelete: settings}}
data: {value: "${value}"}
`;
const service = (port: number, extra = "") => `
apiVersion: v1
kind: Service
metadata: {name: web${extra}}
spec: {selector: {app: web}, ports: [{port: ${port}}]}
`;
const migration = `
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, annotations: {vs.axis-dev.io/migration: "orders: adds totals"}}
spec:
  backoffLimit: 0
  template:
    metadata: {labels: {app: migrate}}
    spec: {restartPolicy: Never, containers: [{name: migrate, image: "acme/migrate:1"}]}
`;

/** What is live of what releases declare: labels of ours and the revisions of kept objects left out. */
async function live(demo: Manifests): Promise<Record<string, unknown>> {
  const text = await demo.kubectl("get", "services,configmaps", "-o", "json");
  const { items } = JSON.parse(text) as {
    items: {
      kind: string;
      metadata: { name: string; labels?: object };
      data?: object;
      spec?: { ports: { port: number }[]; selector: object };
    }[];
  };
  return Object.fromEntries(
    items
      .filter(({ metadata }) => metadata.name !== "kube-root-ca.crt")
      .map(({ kind, metadata, data, spec }) => [
        `${kind}/${metadata.name}`,
        data ?? [spec?.selector, spec?.ports.map(({ port }) => port)],
      ]),
  );
}

test("every release comes back field by field, though the config does not compile and the adapters are gone; nothing kept is lost", async () => {
  const demo = await manifestsIn(cluster);
  const states: Record<string, unknown>[] = [];
  const versions = [
    `${settings("settings-1", "one")}---\n${service(80)}`,
    `${settings("settings-2", "two")}---\n${service(81)}---\n${service(90, "-extra")}`,
    `${settings("settings-3", "three")}---\n${service(82)}`,
  ];
  for (const app of versions) {
    demo.declare({ app });
    expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });
    states.push(await live(demo));
  }
  demo.write(".valuestream/qvs.yaml", "designPatterns: [{pattern: gone.example/adapters/nothing}]");
  demo.write("adapters/cue.mod/module.cue", "this is no CUE");
  expect(await demo.qvs("deploy")).toMatchObject({ code: 1 });
  const all = Object.entries(states[2] ?? {}).filter(([name]) => name.startsWith("ConfigMap"));
  for (const [revision, index] of [
    [1, 0],
    [2, 1],
    [3, 2],
    [1, 0],
  ] as const) {
    const back = await demo.qvs("rollback", "--to", String(revision));
    expect(back, back.stderr).toMatchObject({ code: 0 });
    // What was kept since stays beside it.
    expect(await live(demo)).toEqual({ ...Object.fromEntries(all), ...states[index] });
  }
});

test("a migration in between refuses, before anything is changed, until it is allowed", async () => {
  const demo = await manifestsIn(cluster);
  demo.declare({ app: service(80) });
  await demo.qvs("deploy");
  demo.declare({ app: `${migration}---\n${service(81)}` });
  const migrated = await demo.qvs("deploy");
  expect(migrated, migrated.stderr).toMatchObject({ code: 0 });
  await demo.writes();

  const refused = await demo.qvs("rollback", "--to", "previous");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("Job");
  expect(refused.stderr).toContain("does not undo what it migrates (orders: adds totals)");
  const shown = await demo.qvs("rollback", "--to", "1", "--dry-run");
  expect(shown.code).toBe(1);
  expect(shown.stdout).toContain("migration-completed");
  expect(await demo.writes()).toEqual([]);

  const back = await demo.qvs("rollback", "--to", "1", "--allow-irreversible");
  expect(back, back.stderr).toMatchObject({ code: 0 });
  expect(back.stderr).toContain("Notice: Job");
});
