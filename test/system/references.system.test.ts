import { expect, test } from "vitest";
import { deployed, type Manifests, manifestsIn } from "../support/cluster/manifests-in.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";

const cluster = useCluster();

const service = (annotations: string) => `
apiVersion: v1
kind: Service
metadata: {name: web, annotations: {${annotations}}}
spec: {type: LoadBalancer, selector: {app: web}, ports: [{port: 80}]}
`;

const ip = "$(ref.service-web.status.loadBalancer.ingress[0].ip)";

const settings = (...data: readonly string[]) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {${data.join(", ")}}
`;

const web = (variables: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: web:1
          ports: [{containerPort: "$(ref.service-web.spec.ports[0].nodePort)"}]
          env: [${variables}]
`;

const all = (...manifests: readonly string[]) => manifests.join("\n---\n");

async function get(demo: Manifests, kind: string, name: string, path: string): Promise<string> {
  return demo.kubectl("get", kind, name, "-o", `jsonpath={${path}}`);
}

test("qvs waits for a late address, uses it with its type, and reads it again for a rollback", async () => {
  const demo = await manifestsIn(cluster);
  const env = `{name: URL, value: "http://${ip}:$(ref.service-web.spec.ports[0].port)/"}`;
  const slow = service("test.qvs/delay: 4s");
  demo.declare({ app: all(slow, settings(`address: "${ip}"`), web(env)) });
  const { stdout } = await demo.qvs("diff");
  expect(stdout.replaceAll(demo.namespace, "demo")).toMatch(
    /2 objects: unchecked: depends on a value of Service demo\/web that is known after deploy/,
  );
  expect(stdout).toContain("address: (known after deploy)");
  expect(stdout).toContain("value: http://(known after deploy):80/");
  const first = await demo.qvs("deploy");
  expect(first.code, first.stderr).toBe(0);
  expect(first.stderr).toContain("no value for service-web.status.loadBalancer.ingress[0].ip yet");
  expect(await get(demo, "configmap", "settings", ".data.address")).toBe("203.0.113.10");
  const container = ".spec.template.spec.containers[0]";
  expect(await get(demo, "deployment", "web", `${container}.env[0].value`)).toBe(
    "http://203.0.113.10:80/",
  );
  expect(await get(demo, "deployment", "web", `${container}.ports[0].containerPort`)).toBe(
    await get(demo, "service", "web", ".spec.ports[0].nodePort"),
  );

  await demo.writes();
  await deployed(demo);
  expect(await demo.writes()).toEqual([]);

  // Another address, as if the Service had been recreated. The objects with references are updated.
  const patch = '{"status":{"loadBalancer":{"ingress":[{"ip":"203.0.113.77"}]}}}';
  await demo.kubectl(
    "patch",
    "service",
    "web",
    "--subresource=status",
    "--type=merge",
    "-p",
    patch,
  );
  const changed = await demo.qvs("diff");
  expect(changed.stdout).toContain("address: 203.0.113.77");
  const rollback = await demo.qvs("rollback", "--to", "1");
  expect(rollback.code, rollback.stderr).toBe(0);
  expect(await get(demo, "configmap", "settings", ".data.address")).toBe("203.0.113.77");
});

test("a value that never exists fails the object that provides it, and its dependents aren't written", async () => {
  const demo = await manifestsIn(cluster);
  demo.declare({ app: settings("a: one") });
  await deployed(demo);
  demo.declare({
    app: all(service("test.qvs/behaviour: never-ready"), settings(`a: "${ip}"`), web("")),
  });
  await demo.writes();
  const { code, stderr } = await demo.qvs("deploy", "--timeout", "5s");
  expect(code).toBe(1);
  expect(stderr.replaceAll(demo.namespace, "demo")).toContain(
    "not ready after 5 s: no value for service-web.status.loadBalancer.ingress[0].ip yet, which ConfigMap demo/settings needs",
  );
  expect(await get(demo, "configmap", "settings", ".data.a")).toBe("one");
  expect((await demo.writes()).map((write) => write.replaceAll(demo.namespace, "demo"))).toEqual([
    "patch Service demo/web",
  ]);
});

test("a Service that no reference uses needs no address", async () => {
  const demo = await manifestsIn(cluster);
  demo.declare({ app: service("test.qvs/behaviour: never-ready") });
  await deployed(demo, "--timeout", "10m");
});

test("a Secret's value is inserted and never shown", async () => {
  const demo = await manifestsIn(cluster);
  const login = (password: string) => `
apiVersion: v1
kind: Secret
metadata: {name: login}
stringData: {password: ${password}}
`;
  const url = 'url: "db://me:$(ref.secret-login.stringData.password)@db"';
  const screens: string[] = [];
  for (const password of ["hunter2-old", "hunter2-new"]) {
    demo.declare({ app: all(login(password), settings(url)) });
    for (const args of [
      ["diff"],
      ...["json", "markdown", "html"].map((format) => ["diff", "--format", format]),
    ]) {
      const { stdout, stderr } = await demo.qvs(args[0] ?? "", ...args.slice(1));
      expect(stdout).toContain("ConfigMap");
      screens.push(stdout, stderr);
    }
    const { code, stdout, stderr } = await demo.qvs("deploy");
    expect(code, stderr).toBe(0);
    screens.push(stdout, stderr);
    expect(await get(demo, "configmap", "settings", ".data.url")).toBe(`db://me:${password}@db`);
  }
  await demo.writes();
  await deployed(demo);
  expect(await demo.writes()).toEqual([]);

  // The manifest no longer shows that the removed value came from a Secret.
  demo.declare({ app: all(login("hunter2-new"), settings('url: "db://nobody@db"')) });
  for (const args of [["diff"], ["diff", "--format", "json"], ["deploy"]]) {
    const { stdout, stderr } = await demo.qvs(args[0] ?? "", ...args.slice(1));
    screens.push(stdout, stderr);
  }
  expect(screens.join("\n")).toContain("db://nobody@db");
  expect(screens.join("\n")).not.toContain("hunter2");
});
