import { marked } from "marked";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import { commentMarker } from "../../../../src/report/comment/render-comment.ts";
import { fc } from "../../../support/fast-check.ts";
import { commentCases, isLarge } from "../../../support/report/comment-cases.ts";
import { renderComment, renderSummary } from "../../../support/report/rendered.ts";
import { commentInput, planned, shopPlan, shopReport } from "../../../support/shop/shop-report.ts";

/** Tests that take seconds: thousands of objects, and every comment in every size. */
describe("the comment of", () => {
  for (const { name, input } of commentCases.filter((each) => isLarge(each.name))) {
    test(name, async () => {
      await expect(renderComment(input)).toMatchFileSnapshot(
        `golden/${name.replaceAll(/[ ,]+/g, "-")}.md`,
      );
    });
  }
});

describe("for any size limit,", () => {
  test.each(commentCases.map(({ name, input }) => [name, input] as const))(
    "the comment of %s fits, and a cut leaves the following text intact",
    (_, input) => {
      // Rendering thousands of objects takes a second each time.
      const objects = Math.max(...input.deployments.map(({ plan }) => plan?.changes.length ?? 0));
      for (const limit of objects > 1000 ? [65_000] : [65_000, 9_000, 2_500, 1_200]) {
        const body = renderComment(input, limit);
        expect(body.length).toBeLessThanOrEqual(limit);
        const html = marked.parse(body, { async: false });
        expect(html.match(/<details/g)?.length).toBe(html.match(/<\/details>/g)?.length);
        const outside = html.replaceAll(/<(pre|blockquote)>[\s\S]*?<\/\1>/g, "");
        expect(outside).toMatch(/more lines are in the run|<sub>Commit /);
      }
      expect(Buffer.byteLength(renderSummary(input))).toBeLessThanOrEqual(990_000);
    },
  );
});

describe("a comment that is too long", () => {
  const large = commentInput(shopReport({ plan: largePlan(300, 400) }));

  test("keeps every deletion when it omits diffs", () => {
    const body = renderComment(large);
    expect(body.length).toBeLessThanOrEqual(65_000);
    expect(body.match(/−&nbsp;delete/g)).toHaveLength(300);
    expect(body).toContain("400 further changes");
  });

  test("names the artifact with all diffs if the workflow uploads one", () => {
    const link =
      "all diffs in its artifact [`qvs-preview.html`](https://github.com/acme/shop/actions/runs/42#artifacts)";
    const named = { ...large, previewArtifact: "qvs-preview.html" };
    expect(renderComment(named)).toContain(link);
    expect(renderComment(large)).not.toContain("artifact");
    const short = { ...commentInput(shopReport()), previewArtifact: "qvs-preview.html" };
    expect(renderComment(short)).not.toContain("artifact");
    expect(renderComment({ ...named, runUrl: undefined })).toContain(
      "its artifact `qvs-preview.html`",
    );
  });

  test("is complete in the step summary", () => {
    const summary = renderSummary(large);
    expect(summary.length).toBeGreaterThan(65_000);
    expect(summary.match(/<summary><code>ConfigMap /g)).toHaveLength(400);
  });

  test("shows the number of missing lines if the deletions don't fit either", () => {
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

test("untrusted text stays text: no mention, no HTML, no broken table, no closed fence", () => {
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
      expect(html).not.toContain("<table");
      expect(html.match(/<li>/g)).toHaveLength(2);
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
