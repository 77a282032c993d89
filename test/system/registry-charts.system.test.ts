import { afterAll, expect, test } from "vitest";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { startCompiler } from "../support/cue/native.ts";
import { environment, GitFixture, temporaryDirectory } from "../support/git/git-fixture.ts";
import { packedChart } from "../support/packed-chart.ts";
import { runHere } from "../support/qvs/run-here.ts";
import { ChartRegistry, digestOf } from "../support/servers/chart-registry.ts";

/** Tests charts of registries: docs/reference/qvs-yaml.md#lockfile */
const cluster = useCluster();
const compiler = startCompiler();
afterAll(() => compiler.close());

/** Returns a chart with its version in a ConfigMap. Only version 1.0.0 has a second ConfigMap. */
function chart(version: string): Buffer {
  const map = (name: string) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {version: "{{ .Chart.Version }}", color: "{{ .Values.color }}"}\n`;
  return packedChart("web", {
    "Chart.yaml": `apiVersion: v2\nname: web\nversion: ${version}\n`,
    "values.yaml": "color: red\n",
    "templates/web.yaml": map("web"),
    ...(version === "1.0.0" ? { "templates/old.yaml": map("old") } : {}),
  });
}

/** An application with a chart of a registry, in a namespace of its own. */
async function application() {
  const registry = await new ChartRegistry().start();
  registry.push("web", "1.0.0", chart("1.0.0"));
  const namespace = await cluster.namespace("registry");
  const app = new GitFixture();
  const list = `deployments: [{name: shop, config: qvs.yaml, namespace: ${namespace}}]\n`;
  app.write(".valuestream/deployments.yaml", list);
  const env = {
    ...environment,
    KUBECONFIG: cluster.kubeconfigFor("admin"),
    QVS_CACHE: temporaryDirectory(),
    QVS_INSECURE_REGISTRIES: registry.host,
  };
  const qvs = async (...args: readonly string[]) => {
    const run = await runHere(app.directory, args, compiler, env);
    return `${run.code}\n${run.stdout}${run.stderr}`;
  };
  return {
    ...{ registry, app, qvs },
    write: (version: string) =>
      app.write(
        ".valuestream/qvs.yaml",
        `designPatterns:\n  - helm:\n      chart: oci://${registry.host}/web\n      version: ${version}\n      release: web\n      set: {color: blue}\n`,
      ),
    live: async () =>
      cluster.kubectl(
        ...["get", "configmap", "-n", namespace, "-l", "app.kubernetes.io/managed-by=qvs"],
        ...["-o", "jsonpath={range .items[*]}{.metadata.name} {.data.version} {end}"],
      ),
  };
}

test("a chart of a registry is locked, deployed, upgraded to a newer version and rolled back", async () => {
  const { registry, app, qvs, write, live } = await application();
  write("1.0.0");
  expect(await qvs("deploy")).toContain("error[lock-file-outdated]");
  expect(await qvs("lock")).toContain(`+ oci://${registry.host}/web 1.0.0: `);
  expect(await qvs("deploy")).toContain("shop release 1 succeeded");
  expect(await live()).toBe("old 1.0.0 web 1.0.0 ");
  const base = app.commit();

  expect(await qvs("outdated")).not.toContain("→");
  registry.push("web", "1.1.0", chart("1.1.0"));
  expect(await qvs("outdated")).toContain(`oci://${registry.host}/web: 1.0.0 → 1.1.0`);
  expect(await qvs("diff")).toContain("No changes: shop");

  write("1.1.0");
  expect(await qvs("deploy")).toContain("error[lock-file-outdated]");
  expect(await qvs("lock")).toContain("1.1.0");
  app.commit();
  const preview = await qvs("diff", "--base", base);
  expect(preview).toContain(`Chart web of oci://${registry.host}: 1.0.0 → 1.1.0`);
  expect(preview).toMatch(/delete.*ConfigMap.*old/);
  const json = await qvs("diff", "--base", base, "--format", "json");
  expect(JSON.parse(json.slice(2)).sources).toMatchObject([
    {
      name: "web",
      before: { version: "1.0.0", pinned: digestOf(chart("1.0.0")) },
      after: { version: "1.1.0", pinned: digestOf(chart("1.1.0")) },
    },
  ]);
  expect(await qvs("deploy")).toContain("shop release 2 succeeded");
  expect(await live()).toBe("web 1.1.0 ");

  registry.seen.splice(0);
  expect(await qvs("rollback", "--to", "previous")).toContain("shop release 3 succeeded");
  expect(await live()).toBe("old 1.0.0 web 1.0.0 ");
  expect(registry.seen).toEqual([]);
  expect(await qvs("outdated")).not.toContain("→");
});

test("a version that the registry replaced isn't deployed, and the preview of its new lock warns", async () => {
  const { registry, app, qvs, write, live } = await application();
  write("1.0.0");
  await qvs("lock");
  await qvs("deploy");
  const base = app.commit();
  registry.push("web", "1.0.0", chart("1.1.0"));
  expect(await qvs("lock", "--check")).toMatch(/^1\n/);
  expect(await qvs("deploy")).toContain("unchanged");
  await qvs("lock");
  app.commit();
  expect(await qvs("diff", "--base", base, "--fail-on", "warning")).toMatch(
    /^1\n[\s\S]*version-replaced/,
  );
  expect(await live()).toBe("old 1.0.0 web 1.0.0 ");
});
