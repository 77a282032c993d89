import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pulumiProgram } from "../../../src/compile/pulumi/program.ts";
import { createCompiler } from "../../../src/io/cue/compiler.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { toYaml } from "../../../src/report/text/yaml.ts";
import { buildTools } from "../../support/cluster/build.ts";
import { isAvailable, modulePath, requestFor, table } from "../../support/corpus/official.ts";

/** Parses `Pulumi.yaml` with Pulumi's own code: syntax, functions and references to resources. */
describe("Pulumi's own parser", () => {
  const compiler = createCompiler({
    script: new URL("../../../src/compile-worker.ts", import.meta.url),
    wasm: new URL("../../../dist/cue.wasm.zst", import.meta.url),
  });
  let folder: string;
  let program: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "qvs-pulumi-"));
    program = (await buildTools("pulumi-yaml")).path("pulumi-yaml");
  });
  afterAll(async () => {
    await Promise.all([compiler.close(), rm(folder, { recursive: true, force: true })]);
  });

  async function problemsOf(pulumi: JsonObject | undefined): Promise<readonly string[]> {
    const file = join(folder, "Pulumi.yaml");
    await writeFile(file, toYaml(pulumi ?? {}));
    const { stdout } = await promisify(execFile)(program, [file]);
    const lines = stdout.split("\n").filter((line) => line !== "");
    return lines.map((line) => line.slice(`${file}: `.length));
  }

  const rows = table.filter(({ pulumi }) => pulumi !== undefined);
  it.skipIf(!isAvailable).each(rows)(
    "accepts the program that $pattern compiles to",
    async (row) => {
      const request = requestFor(`${modulePath}/${row.pattern}`, row.params ?? {});
      const compiled = await compiler.compile(request);
      const problems = await problemsOf(compiled.ok ? compiled.value.pulumi : undefined);
      // It stops at the first reference to a missing resource. The program reports all of them.
      const told = [...(row.missing ?? []), ...(row.apart ?? [])];
      if (told.length === 0) return expect(problems).toEqual([]);
      const [, name] =
        /^resource, variable, or config value "(.*)" not found$/.exec(problems[0] ?? "") ?? [];
      expect(told).toContain(name);
    },
  );

  it("finds resources of a group by their full ids", async () => {
    const resources = new Map<string, JsonObject>([
      ["g/ip", { type: "gcp:compute:Address", properties: { cost: "$$5" } }],
      ["g.h/a.b", { type: "gcp:compute:Address" }],
      ["g.h/c", { type: "x:y:Z", properties: { a: `\${["a.b"].id}`, b: `\${d.id}` } }],
      [
        "g/dns",
        {
          type: "gcp:dns:RecordSet",
          options: { dependsOn: [`\${ip}`] },
          properties: { to: `x \${ip.a[0].b}` },
        },
      ],
      ["d", { type: "x:y:Z", properties: { a: `\${g/ip.address}` } }],
    ]);
    expect(await problemsOf(pulumiProgram("it", resources))).toEqual([]);
  });

  it("rejects an invalid program", async () => {
    const resources = new Map<string, JsonObject>([
      ["a", { type: "x:y:Z", properties: { a: `\${gone.id}` } }],
    ]);
    expect(await problemsOf(pulumiProgram("it", resources))).toEqual([
      'resource, variable, or config value "gone" not found',
    ]);
  });
});
