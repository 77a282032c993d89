import { expect, test } from "vitest";
import { decideEnvironment } from "../../../../src/action/environments/decide-environment.ts";
import { renderEnvironments } from "../../../../src/action/environments/environment-comment.ts";

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
      { name: "shop-pr-3", state: "blocked", detail: "@team <script> [x](y)" },
    ],
    { commit: "0123456789abcdef" },
  );
  expect(text).toContain("(https://3.example/?a=%5Bb%5D%28c%29)");
  expect(text).not.toContain("<script>");
  expect(text).not.toContain("@team");
  expect(text).toContain("commit `0123456789ab`");
});
