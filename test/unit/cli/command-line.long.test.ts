import { readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startCompiler } from "../../support/cue/native.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { startQvs } from "../../support/qvs/run-qvs.ts";
import { compile, shopFiles } from "../../support/shop/shop-files.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

async function qvs(...args: readonly string[]) {
  return runHere(temporaryRepository(shopFiles).directory, args, compiler);
}

test("--version prints the version of the package", async () => {
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8"),
  );
  const { stdout, ...rest } = await qvs("--version");
  expect(rest).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(`qvs ${version} (from source, cue v`);
});

test("qvs without arguments shows its commands on stderr", async () => {
  const { code, stdout, stderr } = await qvs();
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("  deploy [options] ");
});

test.each(["compile", "describe", "diff", "deploy", "rollback"])(
  "help for %s is a result",
  async (command) => {
    const help = await qvs("help", command);
    expect(help).toEqual(await qvs(command, "--help"));
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toMatch(new RegExp(`^Usage: qvs ${command} `));
    expect(help.stdout, "defaults of the program's own kind").not.toMatch(/\[\]|\d{4,}/);
  },
);

test("the JSON output contains the manifests and their inputs", async () => {
  const { stdout } = await qvs(...compile, "--format", "json");
  const { stages, inputs } = JSON.parse(stdout);
  expect(stages.app.deployment.spec.replicas).toBe(2);
  expect(inputs).toEqual([
    ".valuestream/qvs.yaml",
    "adapters/cue.mod/module.cue",
    "adapters/web/main.cue",
    "params.yaml",
  ]);
});

test("inputs include the targets of links", async () => {
  const { directory } = temporaryRepository({
    ...shopFiles,
    "shared/params.yaml": "replicas: 3\n",
  });
  symlinkSync("shared/params.yaml", join(directory, "more.yaml"));
  renameSync(join(directory, "adapters/web/main.cue"), join(directory, "adapters/web.cue"));
  symlinkSync("../web.cue", join(directory, "adapters/web/main.cue"));
  const args = [...compile, "--params", "more.yaml", "--format", "json"];
  const { stdout } = await runHere(directory, args, compiler);
  expect(JSON.parse(stdout).inputs).toEqual([
    ".valuestream/qvs.yaml",
    "adapters/cue.mod/module.cue",
    "adapters/web.cue",
    "adapters/web/main.cue",
    "more.yaml",
    "params.yaml",
    "shared/params.yaml",
  ]);
});

test("a reader that stops early causes no error and no stack trace", async () => {
  const { directory } = temporaryRepository(shopFiles);
  const running = startQvs(directory, compile);
  running.child.stdout?.destroy();
  expect(await running.result).toEqual({ code: 0, stdout: "", stderr: "" });
});
