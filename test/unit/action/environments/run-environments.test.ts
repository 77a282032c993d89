import { expect, test } from "vitest";
import { renderEnvironments } from "../../../../src/action/environments/environment-comment.ts";
import { decideEnvironment } from "../../../../src/action/environments/run-environments.ts";

const facts = {
  ...{ number: 3, isOpen: true, head: "abc", isSameRepository: true, author: "dev" },
  ...{ baseBranch: "main", labels: ["preview"], repositoryId: 1 },
};

test.each([
  [{}, {}, "wanted"],
  [{ labels: [] }, {}, "unwanted"],
  [{ labels: [] }, { when: "always" }, "wanted"],
  [{ labels: ["qa"] }, { label: "qa" }, "wanted"],
  [{ isOpen: false }, { when: "always" }, "unwanted"],
  [{ baseBranch: "theirs" }, { when: "always" }, "unwanted"],
  [{ isSameRepository: false }, { when: "always" }, "never"],
  [{ isSameRepository: false, isOpen: false }, {}, "never"],
  [{ author: "dependabot[bot]" }, { when: "always" }, "never"],
] as const)("a pull request with %j and a preview with %j is %s", (of, template, expected) => {
  const entry = { when: "label", label: "preview", ...template } as const;
  expect(decideEnvironment({ ...facts, ...of }, entry, ["main"]).type).toBe(expected);
});

test("the comment encodes texts from the cluster and from configs", () => {
  const text = renderEnvironments(
    [
      { name: "shop-pr-3", state: "ready", url: "https://3.example/?a=[b](c)" },
      { name: "shop-pr-3", state: "blocked", details: ["@team <script> [x](y)"] },
    ],
    { commit: "0123456789abcdef" },
  );
  expect(text).toContain("(https://3.example/?a=%5Bb%5D%28c%29)");
  expect(text).not.toContain("<script>");
  expect(text).not.toContain("@team");
  expect(text).toContain("Commit `0123456789ab`");
});

test.each([
  [["ready"], "## ✅ Preview environment ready: `a-pr-3`"],
  [["blocked"], "## 🛑 Preview environment blocked: `a-pr-3`"],
  [["deleted"], "## Preview environment deleted: `a-pr-3`"],
  [["ready", "failed", "ready"], "## 🛑 Preview environments: 1 failed, 2 ready"],
  [["deleted", "kept"], "## ⚠️ Preview environments: 1 not deleted, 1 deleted"],
] as const)("the heading for %j is the verdict", (states, heading) => {
  const all = states.map((state, index) => ({ name: `${"abc"[index]}-pr-3`, state }));
  expect(String(renderEnvironments(all, {})).split("\n")[0]).toBe(heading);
});

test("each reason is a line of its own below its environment", () => {
  const details = ["Its Pods fit no node", "Fix: lower its requests"];
  const text = renderEnvironments([{ name: "a-pr-3", state: "blocked", details }], {});
  expect(text).toContain(
    "- `a-pr-3` 🛑 blocked\n  - Its Pods fit no node\n  - Fix: lower its requests",
  );
});
