import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { replaceFiles } from "../../src/cli/write-files.ts";
import { startCompiler } from "../../src/start-compiler.ts";
import { startQvs } from "../support/run-qvs.ts";
import { temporaryRepository } from "../support/temporary-repository.ts";
import { compile } from "./fault.ts";
import { runHere } from "./run-here.ts";
import { shopFiles } from "./shop-files.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

async function qvs(...args: readonly string[]) {
  return runHere(temporaryRepository(shopFiles).directory, args, compiler);
}

test("--version is that of the package", async () => {
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"),
  );
  expect(await qvs("--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test("qvs alone shows its commands on stderr, since nothing was asked for", async () => {
  const { code, stdout, stderr } = await qvs();
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("  deploy [options] ");
});

test.each(["compile", "diff", "deploy", "rollback"])("help for %s is a result", async (command) => {
  const asked = await qvs("help", command);
  expect(asked).toEqual(await qvs(command, "--help"));
  expect(asked).toMatchObject({ code: 0, stderr: "" });
  expect(asked.stdout).toMatch(new RegExp(`^Usage: qvs ${command} `));
  expect(asked.stdout, "defaults of the program's own kind").not.toMatch(/\[\]|\d{4,}/);
});

test("json holds what the manifests are made of, and parses", async () => {
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

test("a reader that has seen enough ends nothing and shows no stack", async () => {
  const { directory } = temporaryRepository(shopFiles);
  const running = startQvs(directory, compile);
  running.child.stdout?.destroy();
  expect(await running.result).toEqual({ code: 0, stdout: "", stderr: "" });
});

describe("compile --output", () => {
  const one = new Map([
    ["app/web.yaml", "a"],
    ["app/group/cache.yaml", "b"],
    ["Pulumi.yaml", "c"],
    ["layout.yaml", "d"],
  ]);
  const other = new Map([
    ["app/web.yaml", "e"],
    ["layout.yaml", "f"],
  ]);

  test("a second run leaves nothing of the first one that it does not write itself", async () => {
    const { directory } = temporaryRepository({
      "out/README.md": "mine",
      "out/app/notes.txt": "mine",
    });
    expect(await replaceFiles(directory, "out", one)).toBe("Wrote 4 files to out");
    expect(await replaceFiles(directory, "out", other)).toBe(
      "Wrote 2 files to out, removed app/group/cache.yaml, Pulumi.yaml of an earlier run",
    );
    expect(filesIn(join(directory, "out"))).toEqual([
      "README.md",
      "app/notes.txt",
      "app/web.yaml",
      "layout.yaml",
    ]);
  });

  test("a folder that was not written by an earlier run loses nothing", async () => {
    const { directory } = temporaryRepository({ "out/app/mine.yaml": "mine" });
    await replaceFiles(directory, "out", other);
    expect(filesIn(join(directory, "out"))).toEqual([
      "app/mine.yaml",
      "app/web.yaml",
      "layout.yaml",
    ]);
  });
});

function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}
