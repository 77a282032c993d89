import { expect, test } from "vitest";
import { writeCheck } from "../../../../src/action/reports/write-check.ts";
import { createSilenceBudget } from "../../../../src/io/github/bounded-fetch.ts";
import { createClient } from "../../../../src/io/github/client.ts";
import { explainRefusal } from "../../../../src/io/github/explain-refusal.ts";
import { openPullRequest } from "../../../../src/io/github/pull-request.ts";
import { checkTitle, md } from "../../../../src/redaction/markdown.ts";
import { sentSecrets } from "../../../../src/redaction/sent-secrets.ts";
import { useFakeGitHub } from "../../../support/fake-github/use.ts";
import { asStep } from "../../../support/plan/step.ts";

const github = useFakeGitHub();
const shop = { owner: "acme", repo: "shop" };
const short = () => createSilenceBudget(300);
const notAnswered = "GitHub's API didn't answer in time";

test("all clients of a run share the wait for a silent GitHub and repeat nothing", async () => {
  github().keepSilentAt("/issues");
  const silence = short();
  const comments = () => {
    const client = createClient({ token: "t", apiUrl: github().apiUrl, warn: () => {}, silence });
    return openPullRequest(client, shop, 7).comments();
  };
  const results = await Promise.allSettled([comments(), comments()]);
  results.push(...(await Promise.allSettled([comments()])));
  for (const each of results)
    expect(explainRefusal("reason" in each && each.reason, "").why).toBe(notAnswered);
  expect(github().requests).toHaveLength(2);
});

test("a rate limit of GitHub counts as an answer", async () => {
  github().failNext(429, 1, { headers: { "retry-after": "1" } });
  const apiUrl = github().apiUrl;
  const client = createClient({ token: "t", apiUrl, warn: () => {}, silence: short() });
  await openPullRequest(client, shop, 7).comments();
  expect(github().requests).toHaveLength(2);
});

test("the step continues without a silent GitHub and prints one warning for each purpose", async () => {
  github().keepSilentAt("/check-runs");
  const pull = {
    number: 7,
    baseSha: "b",
    headSha: "4ead",
    fromFork: false,
    closed: false,
    textEdited: false,
  };
  const context = {
    env: { GITHUB_API_URL: github().apiUrl },
    sent: sentSecrets(),
    repository: shop,
    runUrl: undefined,
    signal: new AbortController().signal,
    silence: short(),
  };
  const verdict = { title: checkTitle("shop"), summary: md`# The preview`, failed: false };
  const { log, exitCode } = await asStep(() =>
    writeCheck(
      { type: "pull_request", ...pull } as const,
      () => verdict,
      { check: "qvs", token: "t" },
      context,
    ),
  );
  expect(exitCode).toBeUndefined();
  expect(log.match(new RegExp(`^::warning.*: ${notAnswered}`, "gm"))).toHaveLength(1);
  expect(log).not.toContain("GitHub answered");
  expect(github().requests).toHaveLength(1);
});
