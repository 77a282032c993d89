import fc from "fast-check";
import { marked } from "marked";
import { describe, expect, test } from "vitest";
import type { Finding } from "../../src/model/finding.ts";
import type { KubeObject } from "../../src/model/object.ts";
import type { Plan } from "../../src/model/plan.ts";
import type { Problem } from "../../src/model/problem.ts";
import {
  commentMarker,
  hasSomethingToSay,
  renderComment,
  renderSummary,
} from "../../src/report/comment/comment.ts";
import type { CommentInput } from "../../src/report/comment/comment-input.ts";
import {
  commentInput,
  live,
  planned,
  service,
  shopCompilation,
  shopDeployment,
  shopPlan,
  shopReport,
  web,
} from "../support/shop-report.ts";

const conflict: Problem = {
  code: "field-conflict",
  where: [{ file: "services/shop/.valuestream/qvs.yaml", line: 14, column: 5 }],
  what: "Deployment shop/web: spec.replicas is owned by kube-controller-manager (Update, scale) since 2026-03-01T10:00:00Z",
  fix: 'Add the annotation vs.axis-dev.io/ignore-changes: "spec.replicas", or deploy with --force',
};
const syntaxError: Problem = {
  code: "invalid-cue",
  where: [{ file: "services/shop/.valuestream/qvs.yaml", line: 9, column: 12 }],
  what: "Parameter replica is not declared",
  fix: "Did you mean replicas?",
};
const hangingRollout: Finding = {
  code: "rollout-deadlock",
  severity: "error",
  object: { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web" },
  where: [],
  what: "Deployment shop/web can't roll out: its required podAntiAffinity leaves no node for a new Pod",
  why: "3 replicas on 3 nodes, and none may leave before a fourth fits",
  fix: "Let one old Pod leave first",
  paste: ["strategy:", "  rollingUpdate:", "    maxUnavailable: 1"],
};
const same = shopCompilation("1.5.0", "308a0d0c4c", "debug");
const untouched: Plan = shopPlan({
  changes: [planned("app", "service", service(), live(service()))],
  deletions: [],
});

/** What the server refuses is shown beside the rest, which it would take. */
function inConflict(plan: Plan): Plan {
  const certainty = { by: "refused", reason: conflict.what } as const;
  const changes = plan.changes.map((change) =>
    change.action === "update" ? { ...change, certainty, predicted: undefined } : change,
  );
  return { ...plan, changes };
}

const golden: readonly { readonly name: string; readonly input: CommentInput }[] = [
  { name: "a routine change", input: commentInput(shopReport()) },
  {
    name: "a deletion that nothing replaces",
    input: commentInput(shopReport({ base: same, head: same })),
  },
  {
    name: "a config that does not compile",
    input: commentInput(shopReport({ head: undefined, plan: undefined, problems: [syntaxError] })),
  },
  {
    name: "a conflict with another manager",
    input: commentInput(shopReport({ plan: inConflict(shopPlan()), blockers: [conflict] })),
  },
  {
    name: "a rollout that would hang",
    input: commentInput(shopReport({ findings: [hangingRollout] })),
  },
  {
    name: "a fork, which may not see the cluster",
    input: commentInput(
      shopReport({
        plan: undefined,
        release: undefined,
        clusterState: { compared: false, because: "pull requests from forks have no credentials" },
      }),
    ),
  },
  {
    name: "a change that was made in the cluster by hand",
    input: commentInput(
      shopReport({
        base: same,
        plan: shopPlan({
          deletions: [],
          changes: [
            planned(
              "app",
              "web",
              web("1.5.0", "308a0d0c4c", 3),
              live(web("1.5.0", "308a0d0c4c", 5)),
            ),
          ],
        }),
      }),
    ),
  },
  {
    name: "three deployments, one of them untouched",
    input: commentInput(
      shopReport(),
      shopReport({
        deployment: shopDeployment({ name: "shop-prod", environment: "prod" }),
        base: same,
      }),
      shopReport({
        deployment: shopDeployment({ name: "platform" }),
        base: same,
        head: same,
        plan: untouched,
      }),
    ),
  },
  {
    name: "nothing to do",
    input: commentInput(shopReport({ base: same, head: same, plan: untouched })),
  },
];

describe("the comment of", () => {
  for (const { name, input } of golden) {
    test(name, async () => {
      await expect(renderComment(input)).toMatchFileSnapshot(
        `golden/${name.replaceAll(/[ ,]+/g, "-")}.md`,
      );
    });
  }
});

test("a pull request that changes nothing has nothing to say", () => {
  expect(
    hasSomethingToSay(commentInput(shopReport({ base: same, head: same, plan: untouched }))),
  ).toBe(false);
  expect(hasSomethingToSay(commentInput(shopReport()))).toBe(true);
});

describe("a comment that is too long", () => {
  const large = commentInput(shopReport({ plan: largePlan(300, 400) }));

  test("keeps every deletion when it has to let go of the diffs", () => {
    const body = renderComment(large);
    expect(body.length).toBeLessThanOrEqual(65_000);
    expect(body.match(/🔴&nbsp;delete/g)).toHaveLength(300);
    expect(body).toContain("400 further changes");
  });

  test("is whole in the step summary", () => {
    const summary = renderSummary(large);
    expect(summary.length).toBeGreaterThan(65_000);
    expect(summary.match(/🟢&nbsp;create/g)).toHaveLength(400);
  });

  test("says how much is missing when not even the deletions fit", () => {
    const body = renderComment(commentInput(shopReport({ plan: largePlan(3000, 0) })));
    expect(body.length).toBeLessThanOrEqual(65_000);
    expect(body).toMatch(/\*\*\d+ more lines are in the run's summary\.\*\*\n$/);
  });

  test("first shortens the diffs, then leaves them out, in every size with balanced folds", () => {
    const input = commentInput(shopReport({ plan: largePlan(3, 12) }));
    const whole = renderComment(input, 1_000_000);
    const lengths = [];
    for (let limit = whole.length; limit > 600; limit = Math.floor(limit * 0.8)) {
      const body = renderComment(input, limit);
      expect(body.length).toBeLessThanOrEqual(limit);
      expect(body.match(/<details/g)?.length ?? 0).toBe(body.match(/<\/details>/g)?.length ?? 0);
      lengths.push(body.length);
    }
    expect(new Set(lengths).size).toBeGreaterThanOrEqual(4);
  });
});

test("text that others wrote stays text: no mention, no HTML, no broken table, no closed fence", () => {
  const hostile = fc.string({
    unit: fc.constantFrom(
      "@octocat",
      "#12",
      "|",
      "`",
      "```",
      "</details>",
      "<img src=x>",
      "\n",
      "::error::",
      "a",
      "\\",
      "<!--",
    ),
  });
  fc.assert(
    fc.property(hostile, (text) => {
      const body = renderComment(commentInput(hostileReport(text)));
      const html = marked
        .parse(body, { async: false })
        .replaceAll(/<code[^>]*>[\s\S]*?<\/code>/g, "");
      expect(html).not.toMatch(/@octocat|#12|<img/);
      expect(body.split("\n")[0]).toBe(commentMarker);
      expect(html.match(/<details/g)?.length).toBe(html.match(/<\/details>/g)?.length);
      expect(html.match(/<tr>/g)).toHaveLength(3);
      expect(html.match(/<t[dh]>/g)).toHaveLength(12);
    }),
  );
});

function hostileReport(text: string) {
  const object: KubeObject = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: text },
    data: { text: `${text}\n${text}` },
  };
  return shopReport({
    plan: shopPlan({
      changes: [planned("app", text, object, undefined)],
      notices: [{ code: "adopted-object", what: text, fix: text, where: [] }],
    }),
    findings: [
      {
        code: "rollout-deadlock",
        severity: "error",
        object: { apiVersion: text, kind: text, namespace: text, name: text },
        what: text,
        why: text,
        fix: text,
        paste: [text],
        where: [{ file: text, line: 1, column: 1 }],
      },
    ],
  });
}

function largePlan(deletions: number, creations: number): Plan {
  const [deletion] = shopPlan().deletions;
  if (deletion === undefined) throw new Error("The shop deletes something.");
  return shopPlan({
    deletions: Array.from({ length: deletions }, (_, i) => ({
      ...deletion,
      key: `core:ConfigMap::shop/old-${i}`,
      id: { ...deletion.id, name: `old-${i}` },
    })),
    changes: Array.from({ length: creations }, (_, i) => {
      const data = Object.fromEntries(
        Array.from({ length: 30 }, (_, line) => [`line-${line}`, "x"]),
      );
      const metadata = { name: `new-${i}`, namespace: "shop" };
      return planned(
        "app",
        "web",
        { apiVersion: "v1", kind: "ConfigMap", metadata, data },
        undefined,
      );
    }),
  });
}
