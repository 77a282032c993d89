import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installLauncher } from "../../../src/action/install-launcher.ts";

const program = `/a folder/it's "$HOME" \`id\` 100%/cli.js`;

function installed() {
  const temporary = mkdtempSync(join(tmpdir(), "qvs-it's $(here) "));
  const pathFile = join(temporary, "path");
  installLauncher({ RUNNER_TEMP: temporary, GITHUB_PATH: pathFile }, "/bin/echo", program);
  return readFileSync(pathFile, "utf8");
}

test("a path with any characters is one word of the launcher, and so is each argument", () => {
  const [folder = "", ...rest] = installed().split("\n");
  expect(rest).toEqual([""]);
  expect(execFileSync(join(folder, "qvs"), ["a b", "$(id)"], { encoding: "utf8" })).toBe(
    `${program} a b $(id)\n`,
  );
});

test("a percent sign in a path starts no variable on Windows", () => {
  const [folder = ""] = installed().split("\n");
  expect(readFileSync(join(folder, "qvs.cmd"), "utf8")).toContain("100%%/cli.js");
});
