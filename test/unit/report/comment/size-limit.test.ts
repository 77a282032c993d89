import { expect, test } from "vitest";
import { idOf, type KubeObject, keyOf } from "../../../../src/model/object.ts";
import { escapeText, md } from "../../../../src/redaction/markdown.ts";
import { renderComment } from "../../../../src/report/comment/render-comment.ts";
import { mapWithinLimit } from "../../../../src/report/comment/size-limit.ts";
import { buildReview } from "../../../../src/report/review/build-review.ts";
import { commentInput, live, shopPlan, shopReport } from "../../../support/shop/shop-report.ts";

test("nothing more is rendered beyond the limit", () => {
  const render = (count: number, limit: number) => {
    const rendered: string[] = [];
    const items = Array.from({ length: count }, (_, index) => `item ${index % 10}`);
    const result = mapWithinLimit(
      items,
      (item) => {
        rendered.push(item);
        return md`${escapeText(item)}`;
      },
      { measure: (body) => body.length, limit },
    );
    return { fits: result !== undefined, rendered: rendered.length };
  };
  expect(render(10, 60)).toEqual({ fits: true, rendered: 10 });
  expect(render(10, 59)).toEqual({ fits: false, rendered: 10 });
  expect(render(100, 60)).toEqual({ fits: false, rendered: 11 });
  expect(render(1_000, 60)).toEqual({ fits: false, rendered: 11 });
});

test.each(["blockers", "findings"])("a long text in %s hides no deletion", (where) => {
  const claim: KubeObject = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "orders", namespace: "shop" },
  };
  const id = idOf(claim);
  const about = { key: keyOf(id), id, stage: "app", apiVersion: "v1", uid: "u" } as const;
  const plan = shopPlan({ deletions: [{ ...about, live: live(claim), after: [] }] });
  const why = "The policy doesn't allow this ".repeat(3_000);
  const long = { where: [], what: "Deployment shop/web: rejected", why, fix: "Change it" };
  const report =
    where === "blockers"
      ? shopReport({ plan, blockers: [{ ...long, code: "admission-denied" }] })
      : shopReport({
          plan,
          findings: [
            {
              ...long,
              code: "image-not-pinned",
              severity: "warning",
              object: { ...id, apiVersion: "v1" },
            },
          ],
        });
  const body = renderComment(buildReview(commentInput(report)));
  expect(body).toContain("delete `PersistentVolumeClaim shop/orders`");
  expect(body).toContain("The policy doesn't allow this");
  expect(body).toContain("shortened; full text in the run's summary");
});

/** Returns how often qvs renders a section for a short comment on so many deployments. */
function renderedSections(deployments: number): number {
  let rendered = 0;
  const review = buildReview({ deployments: [shopReport()], headCommit: "", runUrl: undefined });
  // Only the rendering of a section maps its modules.
  const modules = new Proxy([], {
    get(target, name) {
      if (name === "map") rendered += 1;
      return Reflect.get(target, name);
    },
  });
  const [shop] = review.deployments;
  if (shop === undefined) throw new Error("the review has no deployment");
  const all = Array.from({ length: deployments }, (_, index) => ({
    ...shop,
    modules,
    name: `shop-${index}`,
  }));
  renderComment({ ...review, deployments: all }, 5_000);
  return rendered;
}

test("a size of the comment that doesn't fit isn't rendered for all deployments", {
  tags: "slow",
}, () => {
  const growth = renderedSections(100) - renderedSections(50);
  expect(growth).toBeGreaterThan(0);
  // The last resort renders all of them once.
  expect(growth).toBeLessThanOrEqual(50);
});
