import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

interface Step {
  readonly name: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

const root = join(import.meta.dirname, "../..");
const { jobs }: { readonly jobs: { readonly plan: { readonly steps: readonly Step[] } } } = parse(
  readFileSync(join(root, ".github/workflows/plan.yml"), "utf8"),
);
const standIn = join(root, "test/support/action/fake-upload/index.mjs");
const isUpload = ({ uses }: Step) => uses?.startsWith("actions/upload-artifact@") === true;
const uploadOfPage = jobs.plan.steps.filter(isUpload).find((step) => step.with?.archive === false);

test("a second attempt replaces the page and keeps the caller's artifact with the default name", {
  tags: "slow",
}, () => {
  const uploads = mkdtempSync(join(tmpdir(), "uploads-"));
  mkdirSync(join(uploads, "artifact"));
  const [first, second] = [upload(uploads, "first"), upload(uploads, "second")];
  expect(first).toEqual({ status: 0, stdout: "" });
  expect(second).toEqual({ status: 0, stdout: "" });
  expect(readFileSync(join(uploads, "qvs-preview.html"), "utf8")).toBe("second");
  expect(existsSync(join(uploads, "artifact"))).toBe(true);
});

/** Uploads a page like the step of plan.yml, by the rules of actions/upload-artifact. */
function upload(uploads: string, page: string) {
  const path = join(mkdtempSync(join(tmpdir(), "page-")), "qvs-preview.html");
  writeFileSync(path, page);
  const given = uploadOfPage?.with ?? {};
  const { name = "" } = given;
  const env = {
    INPUT_NAME: String(name).replace("${{ steps.page.outputs.name }}", "qvs-preview.html"),
    INPUT_PATH: path,
    INPUT_ARCHIVE: String(given.archive),
    INPUT_OVERWRITE: String(given.overwrite),
    FAKE_UPLOADS: uploads,
  };
  const { status, stdout } = spawnSync(process.execPath, [standIn], { env, encoding: "utf8" });
  return { status, stdout };
}
