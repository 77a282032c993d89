import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { qvsProgram } from "../../support/qvs/qvs-program.ts";

const run = (output: string) => {
  const line = `"$0" "$1" --help ${output}`;
  const { stdout, stderr } = spawnSync(
    "bash",
    ["-c", `${line}; echo "exit \${PIPESTATUS[0]}"`, process.execPath, qvsProgram],
    { encoding: "utf8" },
  );
  return `${stdout}${stderr}`;
};

test("a full disk is reported in one line", () => {
  expect(run("> /dev/full")).toBe(
    "exit 1\nCan't write to standard output: no space is left on the device (ENOSPC)\n",
  );
});

test("a closed pipe causes no error and no message", () => {
  expect(run("| true")).toBe("exit 0\n");
});
