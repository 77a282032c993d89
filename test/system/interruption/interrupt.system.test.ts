import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expireLock } from "../../support/cluster/expire-lock.ts";
import { type Manifests, manifestsIn } from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { deployment } from "../../support/cluster/workloads.ts";
import { startQvs } from "../../support/qvs/run-qvs.ts";
import { startApiProxy } from "../../support/servers/api-proxy.ts";

/**
 * Sends the signals of Ctrl-C and of a canceled job to the real program while it works on a real
 * control plane.
 */
const cluster = useCluster();

const names = Array.from({ length: 150 }, (_, index) => `many-${String(index).padStart(3, "0")}`);
const many = names
  .map((name) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {x: text}}`)
  .join("\n---\n");

async function made({ kubectl }: Manifests): Promise<readonly string[]> {
  const found = await kubectl("get", "configmaps", "-o", "name");
  return found.split("\n").filter((name) => name.includes("many-"));
}

async function records({ kubectl }: Manifests): Promise<readonly string[]> {
  const columns = "S:.metadata.labels.vs\\.axis-dev\\.io/status";
  const which = [
    "-l",
    "vs.axis-dev.io/deployment=demo",
    "--field-selector",
    "type=vs.axis-dev.io/release.v1",
  ];
  const found = await kubectl(
    "get",
    "secrets",
    ...which,
    "--no-headers",
    "-o",
    `custom-columns=${columns}`,
  );
  return found.split("\n").filter((line) => line !== "");
}

async function holder({ kubectl }: Manifests): Promise<string> {
  return kubectl("get", "lease", "qvs-demo", "-o", "jsonpath={.spec.holderIdentity}");
}

test("while qvs waits for readiness: it reports the changes and the running Pods, and the next run completes", async () => {
  const demo = await manifestsIn(cluster);
  demo.declare({
    appSetup: many.split("\n---\n")[0] ?? "",
    app: deployment("web", { behaviour: "never-ready" }),
  });
  const running = demo.start("deploy");
  await running.says(`Deployment ${demo.namespace}/web: waiting`);
  running.child.kill("SIGINT");
  const { code, stdout, stderr } = await running.result;
  expect({ code, stdout }).toEqual({ code: 130, stdout: "demo release 1 canceled\n" });
  expect(stderr).toContain(
    "Canceling: qvs finishes and records the current steps. Press Ctrl-C again to stop immediately",
  );
  expect(stderr.slice(stderr.indexOf("\nThe run was")).replaceAll(demo.namespace, "NS")).toBe(`
The run was canceled

Current state:
  Deployment NS/web: 0/1 available, not serving
  changed, but not confirmed as ready: Deployment NS/web

Next steps:
  Run again: the next run continues from the current state of the cluster
`);
  expect(await holder(demo)).toBe("");
  const listed = await demo.qvs("releases");
  expect(listed.stdout).toMatch(/^… 1 {2}canceled /m);

  demo.declare({ app: deployment("web", {}) });
  const again = await demo.qvs("deploy", "--no-wait-for-lock");
  expect(again.stdout, again.stderr).toBe("demo release 2 succeeded\n");
  expect(await made(demo)).toEqual([]);
});

test("while qvs waits for the lock: nothing is changed, and the other run keeps the lock", async () => {
  const demo = await manifestsIn(cluster);
  demo.declare({ app: deployment("web", { behaviour: "never-ready" }) });
  const first = demo.start("deploy");
  await first.says(`Deployment ${demo.namespace}/web: waiting`);
  const second = demo.start("deploy");
  await second.says("Waiting for the deployment lock");
  second.child.kill("SIGINT");
  const { code, stdout, stderr } = await second.result;
  expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
  expect(stderr).toMatch(/Canceled\. Nothing was changed\.\n$/);
  expect(await holder(demo)).not.toBe("");
  expect(await records(demo)).toEqual(["pending"]);
  first.child.kill("SIGINT");
  expect((await first.result).code).toBe(130);
  expect(await records(demo)).toEqual(["failed"]);
});

test("during many writes, as GitHub cancels: qvs stops writing and records it, and the next run creates the rest", async () => {
  const demo = await manifestsIn(cluster);
  demo.declare({ app: many });
  const running = demo.start("deploy", "--concurrency", "1");
  await running.says(`ConfigMap ${demo.namespace}/${names[3]}: created`);
  running.child.kill("SIGINT");
  running.child.kill("SIGTERM");
  const { code, stdout, stderr } = await running.result;
  expect({ code, stdout }).toEqual({ code: 130, stdout: "demo release 1 canceled\n" });
  const begun = await made(demo);
  expect(begun.length).toBeGreaterThanOrEqual(4);
  expect(begun.length).toBeLessThan(names.length);
  expect(stderr).toMatch(new RegExp(`\nCanceled after \\d+s: ${begun.length} created\n`));
  expect(stderr).toMatch(/\n {2}not created: ConfigMap .* and \d+ more\n/);
  expect(await records(demo)).toEqual(["failed"]);

  const again = await demo.qvs("deploy", "--no-wait-for-lock");
  expect(again.stdout, again.stderr).toBe("demo release 2 succeeded\n");
  expect(await made(demo)).toHaveLength(names.length);
});

test("a second Ctrl-C ends immediately and reports the remaining lock, and the next run waits for it and completes", async ({
  onTestFinished,
}) => {
  const demo = await manifestsIn(cluster);
  demo.declare({ app: many });
  const folder = mkdtempSync(join(tmpdir(), "qvs-interrupt-"));
  const proxy = await startApiProxy(cluster.kubeconfig, folder, "interrupted");
  onTestFinished(() => proxy.close());
  const argv = ["deploy", "-n", demo.namespace, "-p", "params.json", "--concurrency", "1"];
  const running = startQvs(demo.directory, argv, { KUBECONFIG: proxy.kubeconfig });
  await running.says(`ConfigMap ${demo.namespace}/${names[3]}: created`);
  // The end of the run is never recorded, also on a fast machine.
  const recording = new Promise<void>((isAsked) => {
    proxy.setRule(({ verb, resource }) => {
      if (verb !== "replace" || resource !== "secrets") return undefined;
      isAsked();
      return { before: () => new Promise(() => undefined) };
    });
  });
  running.child.kill("SIGINT");
  await recording;
  running.child.kill("SIGINT");
  const { code, stderr } = await running.result;
  expect(code).toBe(130);
  expect(stderr).toContain("lock expires after 30 s");
  expect(await records(demo)).toEqual(["pending"]);

  const next = demo.start("deploy");
  await next.says("Waiting for the deployment lock");
  await expireLock(cluster, demo.namespace);
  const again = await next.result;
  expect(again.stdout, again.stderr).toBe("demo release 2 succeeded\n");
  expect(await made(demo)).toHaveLength(names.length);
});
