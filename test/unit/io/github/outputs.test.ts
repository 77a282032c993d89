import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test, vi } from "vitest";
import { writePage, writeTemporary } from "../../../../src/io/github/report-files.ts";
import { writeOutputs } from "../../../../src/io/github/step-outputs.ts";
import { html } from "../../../../src/redaction/markdown.ts";
import { sentSecrets } from "../../../../src/redaction/sent-secrets.ts";
import type { Page } from "../../../../src/redaction/shown.ts";
import { asStep } from "../../../support/plan/step.ts";

const sent = sentSecrets();
const nowhere = join(tmpdir(), "there", "is", "no", "such", "folder");

test("unwritable outputs fail the step, which still reports the rest", async () => {
  vi.stubEnv("GITHUB_OUTPUT", nowhere);
  const { exitCode, log } = await asStep(async () => writeOutputs({ release: 3 }, { sent }));
  expect(exitCode).toBe(1);
  expect(log).toContain(
    "::error title=QVS::The step's outputs can't be written%0Aerror: Missing file",
  );
  expect(log).toContain("help: or leave GITHUB_OUTPUT");
});

test("a runner without a directory for temporary files fails the step, which still reports the rest", async () => {
  const env = { RUNNER_TEMP: nowhere };
  const { exitCode, log } = await asStep(async () => {
    expect(writeTemporary("plan.json", "{}", { env, sent })).toBeUndefined();
  });
  expect(exitCode).toBe(1);
  expect(log).toContain(`plan.json can't be written to ${nowhere}%0Aerror: ENOENT`);
});

test.each([
  ["qvs-preview-5e1f.html", "qvs-preview-5e1f.html"],
  [undefined, "qvs-preview.html"],
  ["my preview", "qvs-preview.html"],
  ["../../preview.html", "qvs-preview.html"],
  [".html", "qvs-preview.html"],
])("the page for the artifact %s is the file %s", (artifact, file) => {
  const page = html`<p>page</p>` as unknown as Page;
  expect(basename(writePage(page, artifact, { env: {}, sent }) ?? "")).toBe(file);
});
