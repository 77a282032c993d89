import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { manifestsIn } from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { startApiProxy } from "../../support/servers/api-proxy.ts";

/**
 * Tests an object that another user deletes and recreates with the same name just before qvs
 * deletes it.
 */
const cluster = useCluster();
const compiler = startCompiler();
afterAll(() => compiler.close());

const configMap = (name: string) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}`;

test.for([
  ["between qvs's last read and its request", "read configmaps/old", "after"],
  ["before qvs's last read", "read configmaps/old", "before"],
  ["just before qvs's request arrives", "delete configmaps/old", "before"],
] as const)(
  "qvs keeps an object that was recreated %s",
  async ([, at, when], { onTestFinished }) => {
    const demo = await manifestsIn(cluster, undefined, {
      onFinished: onTestFinished,
      run: (folder, args, env) => runHere(folder, args, compiler, env),
    });
    demo.declare({ app: configMap("old") });
    expect((await demo.qvs("deploy", "--quiet")).code).toBe(0);
    // It has the labels and the field manager of qvs, so only its UID is different.
    const manager = "--field-manager=qvs-demo-app";
    const copy = await demo.kubectl("get", "configmap", "old", "-o", "json");
    const { uid, resourceVersion: _, ...metadata } = JSON.parse(copy).metadata;
    demo.write("theirs.json", JSON.stringify({ ...JSON.parse(copy), metadata }));

    const folder = mkdtempSync(join(tmpdir(), "qvs-recreated-"));
    const proxy = await startApiProxy(cluster.kubeconfig, folder, "deleter");
    onTestFinished(() => proxy.close());
    let done = false;
    proxy.setRule(({ text }) => {
      if (text !== at || done) return undefined;
      done = true;
      return {
        [when]: async () => {
          await demo.kubectl("delete", "configmap", "old");
          await demo.kubectl(
            "apply",
            "--server-side",
            manager,
            "-f",
            `${demo.directory}/theirs.json`,
          );
        },
      };
    });
    demo.declare({ app: configMap("new") });
    const { code, stderr } = await demo.qvs("deploy", "--quiet", "--kubeconfig", proxy.kubeconfig);
    expect(code, stderr).toBe(0);
    expect(done).toBe(true);
    const now = await demo.kubectl("get", "configmap", "old", "-o", "jsonpath={.metadata.uid}");
    expect(now).toMatch(/-/);
    expect(now).not.toBe(uid);
  },
);
