import { expect, test } from "vitest";
import { writeCheck } from "../../../../src/action/reports/write-check.ts";
import { checkTitle, md } from "../../../../src/redaction/markdown.ts";
import { sentSecrets } from "../../../../src/redaction/sent-secrets.ts";
import { useFakeGitHub } from "../../../support/fake-github/use.ts";
import { asStep } from "../../../support/plan/step.ts";

const github = useFakeGitHub();

const pull = {
  number: 7,
  baseSha: "b",
  headSha: "4ead",
  fromFork: false,
  closed: false,
  textEdited: false,
};

function check({ failed = false, name = "qvs", fromFork = false } = {}) {
  const event = { type: "pull_request", ...pull, fromFork } as const;
  const verdict = { title: checkTitle("shop: 1 to update"), summary: md`# The preview`, failed };
  const context = {
    env: { GITHUB_API_URL: github().apiUrl },
    sent: sentSecrets(),
    signal: new AbortController().signal,
    repository: { owner: "acme", repo: "shop" },
    runUrl: "https://github.com/acme/shop/actions/runs/1",
  };
  return asStep(() => writeCheck(event, () => verdict, { check: name, token: "t" }, context));
}

test("the verdict is a check of the head commit, as GitHub documents it", async () => {
  await check();
  await check({ failed: true });
  expect(github().state.checks.map(({ conclusion }) => conclusion)).toEqual(["success", "failure"]);
  expect(github().state.checks[0]).toMatchObject({
    name: "qvs",
    head_sha: "4ead",
    details_url: "https://github.com/acme/shop/actions/runs/1",
    output: { title: "shop: 1 to update", summary: "# The preview" },
  });
});

test("qvs writes no check without the input or for a fork", async () => {
  await check({ name: "" });
  await check({ fromFork: true });
  expect(github().requests).toEqual([]);
});

test("a missing permission is a warning and doesn't change how the step ends", async () => {
  github().failNext(403, 1, { message: "Resource not accessible by integration" });
  const { log, exitCode } = await check();
  expect(exitCode).toBeUndefined();
  expect(log).toContain("::warning title=QVS::qvs can't write the check run");
  expect(log).toContain("`permissions: checks: write`");
});
