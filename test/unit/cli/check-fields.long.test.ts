import { afterAll, describe, expect, test } from "vitest";
import { startCompiler } from "../../support/cue/native.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { compile, shopFiles } from "../../support/shop/shop-files.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

const message = "Resource app/deployment: field spec.replcias doesn't exist";

describe("an unknown field", () => {
  test.each(["json", "markdown"])(
    "is a warning of a preview without a cluster, as %s",
    async (format) => {
      const args = ["diff", "--params", "params.yaml", "--format", format];
      const { stdout } = await run(args);
      expect(stdout.replaceAll("\\(", "(").replaceAll("\\)", ")")).toContain(message);
    },
  );

  test("isn't a warning with --quiet", async () => {
    expect(await run([...compile, "--quiet"])).toMatchObject({ code: 0, stderr: "" });
  });

  test("is an error with --check --quiet, for one deployment and for all", async () => {
    for (const args of [[...compile], ["compile", "--all", ...compile.slice(1)]]) {
      const { code, stdout, stderr } = await run([...args, "--check", "--quiet"]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(message);
    }
  });

  test.each([
    ["-o", "build"],
    ["--format", "json"],
    ["--explain", "app/deployment"],
  ])("can't be checked with an output flag: %s %s", async (...flags) => {
    const { code, stderr } = await run([...compile, "--check", ...flags]);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("--check") });
  });
});

test("null in a built-in kind is a warning, and is still printed", async () => {
  const { code, stdout, stderr } = await run([...compile], "replicas: null //");
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("replicas: null") });
  expect(stderr).toContain("Resource app/deployment: fields with the value null aren't sent");
  const diff = ["diff", "--params", "params.yaml", "--format", "json"];
  const preview = await run(diff, "replicas: null //");
  expect(preview.stdout.match(/fields with the value null aren't sent/g)).toHaveLength(1);
});

async function run(args: readonly string[], replicas = "replcias: parameters") {
  const { directory } = temporaryRepository({
    ...shopFiles,
    "adapters/web/main.cue": shopFiles["adapters/web/main.cue"].replace(
      "replicas: parameters",
      replicas,
    ),
  });
  return runHere(directory, args, compiler, { KUBECONFIG: "/nowhere" });
}
