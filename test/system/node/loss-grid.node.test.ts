import { expect, test } from "vitest";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import type { LoadResult } from "../../support/node/load.ts";
import { loadDuring } from "../../support/node/roll-out.ts";
import { useNode } from "../../support/node/use-node.ts";
import { type QvsResult, runQvs } from "../../support/qvs/run-qvs.ts";
import { images, type LossCase, lossGrid, objectsOf } from "./loss-grid.ts";

/** Rolls out each case of the grid under load, and compares the preview with the lost requests. */
const node = useNode();

/** The number of rollouts in which a case must lose a request, because chance decides. */
const attempts = 4;

test.each(lossGrid)("$kind: $name", async (loss) => {
  for (const { name, environment } of Object.values(images)) await node.image(name, environment);
  const namespace = await node.namespace("loss");
  const { directory, write } = temporaryRepository({
    ".valuestream/qvs.yaml": `
modules: [{name: loss.example/adapters, local: {path: ../adapters}}]
designPatterns: [{pattern: loss.example/adapters/web, params: {}}]
`,
    "adapters/cue.mod/module.cue": `module: "loss.example/adapters"\nlanguage: version: "v0.12.0"\n`,
  });
  const env = { KUBECONFIG: node.kubeconfigFor("admin") };
  const qvs = (command: string, ...flags: readonly string[]) =>
    runQvs(directory, [command, "-n", namespace, ...flags], env);
  const declare = (revision: string) => write("adapters/web/main.cue", adapterOf(loss, revision));
  const deploy = async () => succeeded(await qvs("deploy"));

  declare("1");
  await deploy();
  const results: LoadResult[] = [];
  for (let attempt = 1; attempt <= (loss.loses ? attempts : 1); attempt += 1) {
    declare(`${attempt + 1}`);
    const preview = await qvs("diff", "--format", "json");
    succeeded(preview);
    expect(severityIn(preview)).toBe(loss.severity);
    const { load } = await loadDuring(node, { namespace, service: "web" }, deploy);
    results.push(load);
    if (load.failed > 0) break;
  }
  await node.kubectl("delete", "namespace", namespace, "--wait=false");
  console.log(`${loss.kind}, ${loss.name}: ${results.map(countsText).join("; ")}`);
  const failed = results.reduce((sum, each) => sum + each.failed, 0);
  expect({ loses: failed > 0 }, results.map(({ log }) => log).join("\n")).toEqual({
    loses: loss.loses,
  });
});

function adapterOf(loss: LossCase, revision: string): string {
  const resources = { app: objectsOf(loss, revision) };
  const pattern = { name: "web", parameters: {}, resources };
  return `package web\n\nDesignPattern: ${JSON.stringify(pattern, null, 2)}\n`;
}

/** Returns the severity of the finding in the output of `qvs diff --format json`. */
function severityIn({ stdout }: QvsResult): string | undefined {
  const { findings } = JSON.parse(stdout);
  return findings.find(({ code }: { readonly code: string }) => code === "requests-lost")?.severity;
}

function countsText({ failed, requests }: LoadResult): string {
  return `${failed} of ${requests} requests failed`;
}

function succeeded({ code, stderr }: QvsResult): void {
  expect(code, stderr).toBe(0);
}
