import { afterAll, expect, test } from "vitest";
import {
  type Manifests,
  manifestsIn,
  type Surroundings,
} from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { startWebhook } from "./webhook.ts";

/**
 * Tests that values of webhooks and controllers are no drift, but edits next to them are
 * (docs/reference/drift.md).
 */
const cluster = useCluster();
const compiler = startCompiler();
afterAll(() => compiler.close());

async function demoFor(onFinished: Surroundings["onFinished"]) {
  const demo = await manifestsIn(cluster, undefined, {
    ...(onFinished === undefined ? {} : { onFinished }),
    run: (folder, args, env) => runHere(folder, args, compiler, env),
  });
  return { ...demo, told: toldBy(demo) };
}

function toldBy({ qvs, namespace }: Manifests) {
  return async (command: string, ...more: readonly string[]) => {
    const { code, stdout, stderr } = await qvs(command, ...more);
    return `${stdout}${stderr}exit ${code}`.replaceAll(namespace, "demo");
  };
}

const map = (name: string) =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {a: b}}`;

const workload = (name: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: web, image: "web:1"}]}
`;

test("values of a mutating webhook aren't drift, whichever manager changes them", async ({
  onTestFinished,
}) => {
  const { kubectl, namespace, told, declare, writes } = await demoFor(onTestFinished);
  const end = await startWebhook(cluster, namespace);
  onTestFinished(end);
  declare({
    app: [map("settings"), map("other"), workload("web"), workload("idle")].join("\n---\n"),
  });
  expect(await told("deploy", "--quiet")).toBe("demo release 1 succeeded\nexit 0");
  const filled = "jsonpath={.data.level} {.metadata.labels.filled-in}";
  expect(await kubectl("get", "configmap", "settings", "-o", filled)).toBe("info yes");
  const images = "jsonpath={.spec.template.spec.containers[*].image}";
  expect(await kubectl("get", "deployment", "web", "-o", images)).toBe("web:1 sidecar:1");
  const clean = "demo: no drift from release 1 (4 objects)\nexit 0";
  expect(await told("drift")).toBe(clean);
  await kubectl("patch", "configmap", "settings", "-p", '{"data":{"level":"debug"}}');
  expect(await told("drift")).toBe(clean);
  expect(await told("reconcile", "--quiet")).toBe(clean);

  await kubectl("patch", "configmap", "other", "-p", '{"data":{"a":"c"}}');
  await kubectl("set", "image", "deployment/web", "web=web:2", "sidecar=sidecar:2");
  await writes();
  expect(await told("drift")).toBe(
    `~ changed    Deployment demo/web
    spec.template.spec.containers[name="web"].image: web:2 instead of web:1 (kubectl-set, just now)
~ changed    ConfigMap demo/other
    data.a: c instead of b (kubectl-patch, just now)
demo: drift from release 1: 2 changed (of 4 objects)
exit 2`,
  );
  expect(await writes()).toEqual([]);
  expect(await told("reconcile", "--quiet")).toContain("demo release 1 corrected: 2 updated\n");
  expect((await writes()).map((each) => each.replace(namespace, "demo")).toSorted()).toEqual([
    "patch ConfigMap demo/other",
    "patch Deployment demo/web",
  ]);
  expect(await told("drift")).toBe(clean);
  expect(await kubectl("get", "configmap", "settings", "-o", "jsonpath={.data}")).toBe(
    '{"a":"b","level":"debug"}',
  );
});

test("a new webhook causes no drift of existing objects", async ({ onTestFinished }) => {
  const { kubectl, namespace, told, declare, writes } = await demoFor(onTestFinished);
  declare({ app: [map("settings"), workload("web")].join("\n---\n") });
  expect(await told("deploy", "--quiet")).toBe("demo release 1 succeeded\nexit 0");
  onTestFinished(await startWebhook(cluster, namespace));
  // The API server calls a new webhook only after a moment.
  await expect
    .poll(async () =>
      kubectl(
        "create",
        "configmap",
        "probe",
        "--from-literal=a=b",
        "--dry-run=server",
        "-o",
        "yaml",
      ),
    )
    .toContain("level: info");
  await writes();
  const clean = "demo: no drift from release 1 (2 objects)\nexit 0";
  expect(await told("drift")).toBe(clean);
  expect(await told("reconcile", "--quiet")).toBe(clean);
  expect(await writes()).toEqual([]);
});

const rollout = (image: string) => `
{apiVersion: v1, kind: Service, metadata: {name: stable}, spec: {selector: {app: web}, ports: [{port: 80}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: canary}, spec: {selector: {app: web}, ports: [{port: 80}]}}
---
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  strategy: {canary: {stableService: stable, canaryService: canary, steps: [{setWeight: 50}, {pause: {}}]}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "${image}"}]}
`;

test("changes of Argo Rollouts to a Rollout and its Services aren't drift, even at a pause, but an edit is", async ({
  onTestFinished,
}) => {
  const { kubectl, namespace, told, declare, writes } = await demoFor(onTestFinished);
  declare({ app: rollout("web:1") });
  expect(await told("deploy", "--quiet")).toBe("demo release 1 succeeded\nexit 0");
  expect(await told("drift")).toBe("demo: no drift from release 1 (3 objects)\nexit 0");
  declare({ app: rollout("web:2") });
  expect(await told("deploy", "--quiet")).toContain("demo release 2 succeeded");
  const phase = () => kubectl("get", "rollout", "web", "-o", "jsonpath={.status.phase}");
  expect(await phase()).toBe("Paused");
  const clean = "demo: no drift from release 2 (3 objects)\nexit 0";
  expect(await told("drift")).toBe(clean);
  expect(await told("reconcile", "--quiet")).toBe(clean);
  const hashes = await kubectl("get", "service", "-o", "jsonpath={.items[*].spec.selector}");
  expect(hashes).toContain("rollouts-pod-template-hash");

  // Sends the same patch as `kubectl argo rollouts promote`.
  const go = '{"status":{"pauseConditions":null}}';
  await kubectl("patch", "rollout", "web", "--subresource=status", "--type=merge", "-p", go);
  await expect.poll(phase).toBe("Healthy");
  expect(await told("drift")).toBe(clean);

  const edit = '[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"web:3"}]';
  await kubectl("patch", "rollout", "web", "--type=json", "--field-manager=somebody", "-p", edit);
  await expect.poll(phase).toBe("Paused");
  await writes();
  expect(await told("drift")).toBe(
    `~ changed    Rollout demo/web
    spec.template.spec.containers[name="web"].image: web:3 instead of web:2 (somebody, just now)
demo: drift from release 2: 1 changed (of 3 objects)
exit 2`,
  );
  expect(await told("reconcile", "--quiet")).toContain("demo release 2 corrected: 1 updated\n");
  expect((await writes()).map((each) => each.replace(namespace, "demo"))).toEqual([
    "patch Rollout demo/web",
  ]);
  expect(await told("drift")).toBe(clean);
  await expect.poll(phase).toBe("Healthy");
});
