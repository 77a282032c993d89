import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { type Manifests, manifestsIn, type Surroundings } from "../support/cluster/manifests-in.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { startCompiler } from "../support/cue/native.ts";
import { runHere } from "../support/qvs/run-here.ts";

/**
 * Tests the Secrets that contain releases, on a real control plane
 * (docs/concepts/releases.md#releases).
 */
const cluster = useCluster();
const compiler = startCompiler();
afterAll(() => compiler.close());

async function demoFor(onFinished: Surroundings["onFinished"]): Promise<Manifests> {
  return manifestsIn(cluster, undefined, {
    ...(onFinished === undefined ? {} : { onFinished }),
    run: (folder, args, env) => runHere(folder, args, compiler, env),
  });
}

const configMap = (name: string, more = "") =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}${more}}}`;

/** Returns the records as `v1 succeeded`, and parts as `v1.part1`. */
async function records({ kubectl }: Manifests): Promise<readonly string[]> {
  const status = ".metadata.labels.vs\\.axis-dev\\.io/status";
  const columns = `custom-columns=N:.metadata.name,S:${status}`;
  const which = ["--field-selector", "type=vs.axis-dev.io/release.v1"];
  const found = await kubectl("get", "secrets", ...which, "--no-headers", "-o", columns);
  const lines = found.split("\n").map((line) => line.replace(/^qvs\.demo\./, "").trim());
  const revision = (line: string) => Number(/^v(\d+)/.exec(line)?.[1]);
  return lines
    .filter((line) => line !== "")
    .map((line) => line.replace(/\s+/, " ").replace(" <none>", ""))
    .toSorted((a, b) => revision(a) - revision(b) || (a < b ? -1 : 1));
}

async function deployed(demo: Manifests, app: string, ...flags: readonly string[]) {
  demo.declare({ app });
  const { code, stderr } = await demo.qvs("deploy", "--quiet", ...flags);
  expect(code, stderr).toBe(0);
}

test("the newest ten releases are kept, with the newest success and those with kept objects", async ({
  onTestFinished,
}) => {
  const demo = await demoFor(onTestFinished);
  const kept = configMap("kept", `, annotations: {vs.axis-dev.io/keepOnDelete: k}`);
  await deployed(demo, `${kept}\n---\n${configMap("a")}`);
  await deployed(demo, configMap("a"));
  const stuck = `{apiVersion: v1, kind: Pod, metadata: {name: stuck, annotations: {test.qvs/behaviour: never-ready}}, spec: {containers: [{name: a, image: "a:1"}]}}`;
  demo.declare({ app: `${configMap("a")}\n---\n${stuck}` });
  for (let run = 0; run < 12; run += 1) {
    expect((await demo.qvs("deploy", "--quiet", "--timeout", "1s")).code).toBe(1);
  }
  const failed = (from: number) =>
    Array.from({ length: 15 - from }, (_, index) => `v${from + index} failed`);
  expect(await records(demo)).toEqual(["v1 succeeded", "v2 succeeded", ...failed(5)]);

  expect(
    (await demo.qvs("rollback", "--quiet", "--to", "previous", "--keep-releases", "2")).code,
  ).toBe(0);
  expect(await records(demo)).toEqual(["v1 succeeded", "v14 failed", "v15 succeeded"]);
  expect(
    await demo.kubectl(
      "get",
      "configmap,pod",
      "-l",
      "vs.axis-dev.io/deployment=demo",
      "-o",
      "name",
    ),
  ).toBe("configmap/a\nconfigmap/kept\n");
});

test("a record larger than one Secret is split, read again, and deleted as a whole", async ({
  onTestFinished,
}) => {
  const demo = await demoFor(onTestFinished);
  const noise = (seed: string) =>
    Array.from({ length: 10_500 }, (_, i) =>
      createHash("sha256").update(`${seed} ${i}`).digest("base64"),
    ).join("");
  const declareLarge = (seed: string) => {
    for (const name of ["one", "two"]) {
      const meta = `provider: "kubernetes", apiVersion: "v1", kind: "ConfigMap", metadata: name: "${name}"`;
      const text = `package manifests\n\nDesignPattern: resources: app: "${name}": {${meta}, data: x: "${noise(seed + name)}"}\n`;
      demo.write(`adapters/manifests/${name}.cue`, text);
    }
  };
  declareLarge("first");
  await deployed(demo, "");
  expect(await records(demo)).toEqual(["v1 succeeded", "v1.part1"]);
  const sizes = await demo.kubectl(
    ...[
      "get",
      "secret",
      "qvs.demo.v1",
      "qvs.demo.v1.part1",
      "-o",
      "jsonpath={.items[*].data.content}",
    ],
  );
  for (const content of sizes.split(" ")) {
    expect(Buffer.from(content, "base64").length).toBeLessThanOrEqual(900 * 1024);
  }
  declareLarge("second");
  await deployed(demo, "");
  const back = await demo.qvs("rollback", "--quiet", "--to", "1", "--keep-releases", "1");
  expect(back.code, back.stderr).toBe(0);
  const one = await demo.kubectl("get", "configmap", "one", "-o", "jsonpath={.data.x}");
  expect(one === noise("firstone")).toBe(true);
  expect(await records(demo)).toEqual(["v3 succeeded", "v3.part1"]);

  // A deployment deletes nothing if it can't read a record that could list more objects. The next
  // one knows all of them again.
  await demo.kubectl("delete", "secret", "qvs.demo.v3.part1");
  demo.remove("adapters/manifests/two.cue");
  const refused = await demo.qvs("rollback", "--to", "3");
  const missing = "The record has 0 of its 1 parts; part 1 is missing";
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(missing);
  demo.declare({ app: configMap("three") });
  const preview = await demo.qvs("diff");
  expect(preview.code, preview.stdout).toBe(0);
  expect(preview.stdout).toContain(missing);
  await deployed(demo, configMap("three"));
  const maps = "jsonpath={.items[*].metadata.name}";
  const names = async () => (await demo.kubectl("get", "configmaps", "-o", maps)).split(" ");
  expect(await names()).toEqual(["kube-root-ca.crt", "one", "three", "two"]);
  expect(await records(demo)).toEqual(["v3 succeeded", "v4 succeeded"]);
});

test("a record of a newer version is rejected by name, before any change", async ({
  onTestFinished,
}) => {
  const demo = await demoFor(onTestFinished);
  await deployed(demo, configMap("a"));
  const record = JSON.parse(await demo.kubectl("get", "secret", "qvs.demo.v1", "-o", "json"));
  const unpack = (text: string) => JSON.parse(gunzipSync(Buffer.from(text, "base64")).toString());
  const pack = (value: unknown) => gzipSync(JSON.stringify(value)).toString("base64");
  const newer = pack({ ...unpack(record.data.content), format: 2 });
  const patch = JSON.stringify({ data: { content: newer } });
  await demo.kubectl("patch", "secret", "qvs.demo.v1", "--type=merge", "-p", patch);
  demo.declare({ app: configMap("b") });
  expect(await refusal(demo)).toBe(
    "error[release-record-unreadable]: Release qvs.demo.v1 has a format that this version can't read\n  format: 2",
  );

  const { resourceVersion: _, uid: __, ...metadata } = record.metadata;
  demo.write(
    "newer.json",
    JSON.stringify({ ...record, metadata, type: "vs.axis-dev.io/release.v2" }),
  );
  await demo.kubectl("delete", "secret", "qvs.demo.v1");
  await demo.kubectl("create", "-f", `${demo.directory}/newer.json`);
  expect(await refusal(demo)).toBe(
    "error[release-record-unreadable]: Release qvs.demo.v1 has a format that this version can't read\n  format: vs.axis-dev.io/release.v2",
  );
  const found = await demo.kubectl(
    "get",
    "configmap",
    "a",
    "b",
    "--ignore-not-found",
    "-o",
    "name",
  );
  expect(found).toBe("configmap/a\n");
});

async function refusal(demo: Manifests): Promise<string | undefined> {
  const { code, stderr } = await demo.qvs("deploy", "--quiet");
  expect(code).toBe(1);
  expect(stderr).toContain("Nothing was changed.");
  const lines = stderr.split("\n");
  const start = lines.findIndex((line) => line.startsWith("error["));
  return lines.slice(start, start + 2).join("\n");
}

test("a record without its labels is reported as missing, and no older release counts as current", async ({
  onTestFinished,
}) => {
  const demo = await demoFor(onTestFinished);
  const told = async (command: string, ...args: readonly string[]) => {
    const { code, stdout, stderr } = await demo.qvs(command, ...args);
    const text = `${stdout}${stderr}`.replaceAll(demo.namespace, "NS");
    return `${code} ${text.replaceAll(/https:\S+/g, "SERVER")}`;
  };
  const newest = (...args: readonly string[]) =>
    demo.kubectl("label", "secret", "qvs.demo.v2", ...args);
  await deployed(demo, `${configMap("a")}\n---\n${configMap("b")}`);
  await deployed(demo, configMap("a", ", labels: {x: y}"));
  const labels = "vs.axis-dev.io/deployment=demo vs.axis-dev.io/revision=2";
  const cure = `kubectl label secret -n NS --overwrite qvs.demo.v2 app.kubernetes.io/managed-by=qvs ${labels}`;

  for (const lost of ["vs.axis-dev.io/revision-", "vs.axis-dev.io/deployment=other"]) {
    await newest("--overwrite", lost);
    for (const command of ["drift", "reconcile", "rollback", "delete"]) {
      const more = { rollback: ["--to", "previous"], delete: ["--yes"] }[command] ?? [];
      const text = await told(command, ...more);
      expect(text).toMatch(/^1 /);
      expect(text).toContain("qvs.demo.v2 lacks labels by which qvs finds it");
      expect(text).toContain(cure);
    }
    expect(await told("status", "-d", "demo")).toContain("release 2, deployed");
    const [, ...words] = cure.split(" ").slice(5);
    await newest("--overwrite", ...words);
    expect(await told("drift")).toContain("no drift from release 2");
  }

  await newest("app.kubernetes.io/managed-by-", "vs.axis-dev.io/revision-");
  demo.declare({ app: configMap("a", ", labels: {x: z}") });
  const { code, stdout, stderr } = await demo.qvs("deploy", "--quiet");
  expect(`${code} ${stdout}`).toBe("0 demo release 3 succeeded\n");
  expect(stderr).toContain("qvs deletes nothing in this run");
  expect(await told("drift")).toContain("no drift from release 3");
});
