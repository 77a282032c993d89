import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { isAvailable, modulePath, official } from "../../support/corpus/official.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { environment, GitFixture, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { packedChart } from "../../support/packed-chart.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { ChartRegistry } from "../../support/servers/chart-registry.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

const name = "external-secrets";
const version = "0.9.9";
const repository = "https://charts.external-secrets.io";

/** A chart with the name and the values of the real one. */
const chart = packedChart(name, {
  "Chart.yaml": `apiVersion: v2\nname: ${name}\nversion: ${version}\n`,
  "values.yaml": "installCRDs: true\nserviceAccount: {create: true}\n",
  "templates/deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}", namespace: "{{ .Release.Namespace }}"}
spec:
  selector: {matchLabels: {app: eso}}
  template:
    metadata: {labels: {app: eso}}
    spec: {containers: [{name: main, image: "registry.example/eso:{{ .Chart.Version }}"}]}
`,
  "templates/account.yaml": `{{ if .Values.serviceAccount.create }}
apiVersion: v1
kind: ServiceAccount
metadata: {name: "{{ .Release.Name }}"}
{{ end }}
`,
});

describe.skipIf(!isAvailable)("the official adapter of a chart", () => {
  test("compiles to the objects of the chart", async () => {
    const registry = await new ChartRegistry().start();
    registry.push(name, version, chart);
    const app = new GitFixture();
    cpSync(official, join(app.directory, "official"), { recursive: true });
    // The adapter names a repository on the internet.
    const adapter = join(app.directory, "official/kubernetes/secrets/eso/main.cue");
    const text = readFileSync(adapter, "utf8");
    expect(text).toContain(repository);
    writeFileSync(adapter, text.replace(repository, `http://${registry.host}`));
    app.write(
      ".valuestream/qvs.yaml",
      `modules: [{name: ${modulePath}, local: {path: ../official}}]
designPatterns: [{pattern: ${modulePath}/kubernetes/secrets/eso, params: {version: ${version}}}]
`,
    );
    const env = {
      ...environment,
      QVS_CACHE: temporaryDirectory(),
      QVS_INSECURE_REGISTRIES: registry.host,
    };
    const locked = await runHere(app.directory, ["lock"], compiler, env);
    expect(locked.stdout, locked.stderr).toContain(
      `+ ${name} of http://${registry.host} ${version}`,
    );
    const compiled = await runHere(app.directory, ["compile"], compiler, env);
    expect(compiled.stdout, compiled.stderr).toContain(
      "# app/deployment/qmonus-system/external-secrets-operator\n",
    );
    expect(compiled.stdout).toContain(`image: registry.example/eso:${version}`);
    // The adapter turns off the account.
    expect(compiled.stdout).not.toContain("ServiceAccount");
  });
});
