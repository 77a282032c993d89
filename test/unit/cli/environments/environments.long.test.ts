import { afterAll, expect, test } from "vitest";
import { startCompiler } from "../../../support/cue/native.ts";
import { temporaryRepository } from "../../../support/git/temporary-repository.ts";
import { runHere } from "../../../support/qvs/run-here.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

function list(files: Readonly<Record<string, string>>) {
  return runHere(temporaryRepository(files).directory, ["environments", "list"], compiler);
}

const entries = ["staging", "production"].map((name) => ({
  ...{ name, config: "qvs.yaml", namespace: name },
}));

test("a directory without deployments has no environments to list", async () => {
  const { code, stdout, stderr } = await list({ "README.md": "" });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("error[config-not-found]: This directory has no deployments");
});

test("one error reports that no namespace can be read, even if no entry has a preview now", async () => {
  const { code, stdout, stderr } = await list({
    ".valuestream/deployments.yaml": JSON.stringify({ deployments: entries }),
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr.match(/\[kubeconfig-not-found\]/g)).toHaveLength(1);
});
