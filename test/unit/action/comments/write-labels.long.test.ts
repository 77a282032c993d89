import { expect, test } from "vitest";
import { labelNames, writeLabels } from "../../../../src/action/comments/write-labels.ts";
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

interface Given {
  readonly outcome: string;
  readonly deletes?: boolean;
  readonly prefix?: string;
  readonly fromFork?: boolean;
  readonly headSha?: string;
}

function label({ outcome, deletes = false, prefix = "qvs", ...given }: Given) {
  const event = { type: "pull_request", ...pull, ...given } as const;
  const context = {
    env: { GITHUB_API_URL: github().apiUrl },
    sent: sentSecrets(),
    signal: new AbortController().signal,
    repository: { owner: "acme", repo: "shop" },
    runUrl: undefined,
    commit: "4ead",
  };
  const outputs = { outcome, "has-deletions": deletes };
  return asStep(() => writeLabels(event, outputs, { labels: prefix, token: "t" }, context));
}

function labels(): readonly string[] {
  return github().state.labels.get(7) ?? [];
}

test("a pull request has the labels of its last preview, next to those of others", async () => {
  github().state.labels.set(7, ["bug", "qvs-like"]);
  await label({ outcome: "blocked", deletes: true });
  expect(labels()).toEqual(["bug", "qvs-like", "qvs/blocked", "qvs/deletes"]);
  await label({ outcome: "no-change" });
  expect(labels()).toEqual(["bug", "qvs-like", "qvs/no-change"]);
  await label({ outcome: "ready" });
  expect(labels()).toEqual(["bug", "qvs-like"]);
});

test("labels in another spelling are the same labels", async () => {
  github().state.labels.set(8, ["QVS/blocked"]);
  await label({ outcome: "blocked" });
  expect(labels()).toEqual(["QVS/blocked"]);
  await label({ outcome: "ready" });
  expect(labels()).toEqual([]);
});

test("labels that are right already cause no write", async () => {
  await label({ outcome: "review" });
  const before = github().requests.length;
  await label({ outcome: "review" });
  const later = github().requests.slice(before);
  expect(later).toContain("GET /repos/acme/shop/issues/7/labels");
  expect(later.filter((each) => !each.startsWith("GET"))).toEqual([]);
});

test("qvs labels nothing without the input, for a fork, or for an older commit", async () => {
  await label({ outcome: "blocked", prefix: "" });
  await label({ outcome: "blocked", fromFork: true });
  expect(github().requests).toEqual([]);
  github().state.openPulls.push({ number: 7, head: "newer" } as never);
  await label({ outcome: "blocked" });
  expect(labels()).toEqual([]);
});

test("a missing permission is a warning and doesn't change how the step ends", async () => {
  github().failNext(403, 2, { message: "Resource not accessible by integration" });
  const { log, exitCode } = await label({ outcome: "blocked" });
  expect(exitCode).toBeUndefined();
  expect(log).toContain("::warning title=QVS::qvs can't label the pull request");
  expect(log).toContain("pull-requests: write, and issues: write to create labels");
});

test.each([
  ["ready", false, []],
  ["waiting", true, ["waiting", "deletes"]],
  ["unchecked", undefined, ["unchecked"]],
  ["blocked", undefined, ["blocked"]],
] as const)("the outcome %s with deletions %s has the labels %j", (outcome, deletes, expected) => {
  expect(labelNames({ outcome, "has-deletions": deletes })).toEqual(expected);
});
