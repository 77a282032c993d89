import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { CommentInput } from "../../../../src/report/comment/comment-input.ts";
import { caseNamed, commentCases } from "../../../support/report/comment-cases.ts";
import { renderPage } from "../../../support/report/rendered.ts";
import { commentInput, shopReport } from "../../../support/shop/shop-report.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

function rendered(input: CommentInput, limit?: number): string {
  return renderPage(input, { hash, ...(limit === undefined ? {} : { limit }) });
}

/** Returns the visible part, without the style and the script. */
function bodyOf(page: string): string {
  return page.slice(page.indexOf("<body>"), page.indexOf("<script>"));
}

describe("the page of", () => {
  for (const name of [
    "findings of every kind",
    "two deployments, one in conflict",
    "the same label in fourteen objects",
    "a config that does not compile",
  ]) {
    test(name, async () => {
      await expect(bodyOf(rendered(caseNamed(name)))).toMatchFileSnapshot(
        `golden/${name.replaceAll(/[ ,]+/g, "-")}.html`,
      );
    });
  }
});

test("its policy allows only its own style and script", () => {
  for (const { input } of [{ input: commentInput() }, { input: commentInput(shopReport()) }]) {
    const page = rendered(input);
    const sources = (["style", "script"] as const).map((element) => {
      const [, code = "", ...others] = page.split(new RegExp(`<${element}>|</${element}>`));
      expect(others, `one ${element}`).toHaveLength(1);
      return `${element}-src 'sha256-${createHash("sha256").update(code).digest("base64")}'`;
    });
    const expected = ["default-src 'none'", ...sources, "base-uri 'none'", "form-action 'none'"];
    const [, policy = ""] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    expect(policy.replaceAll("&#39;", "'").split("; ")).toEqual(expected);
  }
});

test("nothing in it loads anything or runs by itself", { tags: "slow" }, () => {
  for (const { input } of commentCases.filter(({ name }) => !name.includes("thousand"))) {
    const tags = bodyOf(rendered(input)).match(/<[a-z][^>]*>/g) ?? [];
    expect(tags.filter((tag) => /\s(src|style|on\w+|srcset|action)=/.test(tag))).toEqual([]);
    expect(tags.filter((tag) => /^<(img|link|iframe|script|object|embed)/.test(tag))).toEqual([]);
  }
});

test("the order contains the checks, as a drawing with a legend and as a list", () => {
  const page = bodyOf(rendered(caseNamed("checks between the changes")));
  const [order = ""] = /<div class="graph">.*<\/ol>/s.exec(page) ?? [];
  expect(order.match(/<g class="check"><polygon [^>]*><text[^>]*>[^<]*/g)).toHaveLength(3);
  expect(order).toContain("qvs deletes nothing before all objects are ready and all checks");
  const steps = [...order.matchAll(/<li>([^<]*<code>.*?)<\/li>/g)].map(([, step = ""]) =>
    step.replaceAll(/<[^>]*>/g, ""),
  );
  expect(steps).toEqual([
    "ConfigMap shop/web-config-308a0d0c4c",
    "Check shop/database",
    "Deployment shop/web",
    "Check shop/smoke, Check shop/errors",
    "delete ConfigMap shop/web-config-2ed2af4518",
  ]);
});

test("every change that a comment names is a row", () => {
  const page = rendered(commentInput(shopReport()));
  const actions = [...page.matchAll(/<tbody class="object" data-action="(\w+)"/g)];
  expect(actions.map(([, action]) => action)).toEqual(["rename", "update"]);
});

describe("content beyond the size limit", () => {
  test("is reported and consists of diffs first, then of objects", () => {
    const input = caseNamed("an order of many objects");
    const diffs = (page: string) => page.match(/<summary>Diff/g)?.length ?? 0;
    const objects = (page: string) => page.match(/<tbody/g)?.length ?? 0;
    const [whole, none] = [rendered(input), rendered(input, 0)];
    expect(whole).not.toMatch(/not shown/i);
    expect([diffs(none), objects(none)]).toEqual([0, 0]);
    expect(none).toContain("this page would be too large: 14 more objects.");
    const many = caseNamed("two deployments, one in conflict");
    const withoutDiffs = rendered(many, 4_150);
    expect(objects(withoutDiffs)).toBeGreaterThan(diffs(withoutDiffs));
    expect(withoutDiffs).toMatch(/Diff of \d+ lines not shown/);
    const some = rendered(input, 5_000);
    expect(objects(some)).toBeGreaterThan(0);
    expect(objects(some)).toBeLessThan(objects(whole));
    expect(some).toMatch(/too large: \d+ more objects/);
  });
});

test("sentences of any length make no page longer than its limit", { tags: "slow" }, () => {
  const long = { code: "invalid-object", where: [], what: "x".repeat(10_000), fix: "y" } as const;
  const previewProblems = Array.from({ length: 1_000 }, () => long);
  const page = bodyOf(rendered({ ...commentInput(), previewProblems }, 100_000));
  expect(page.length).toBeLessThan(60_000);
  expect(page).toContain("Not shown, because this page would be too large: 996 more.");
});

test("a single deployment without changes has the sentence of the comment", () => {
  const page = bodyOf(rendered(caseNamed("nothing to do")));
  expect(page).toContain("<p>If you merge, nothing changes in the cluster.</p>");
  expect(page).not.toContain("<nav");
});

test("many plans are folded, as in the comment", () => {
  expect(bodyOf(rendered(caseNamed("thirty deployments")))).toContain(
    "<summary>29 plans</summary>",
  );
  expect(bodyOf(rendered(caseNamed("two deployments, one in conflict")))).not.toContain(" plans</");
});

test("links lead into the repository only", () => {
  const page = rendered(caseNamed("untrusted text"));
  const links = [...page.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href ?? "");
  expect(links.length).toBeGreaterThan(0);

  expect(links.filter((href) => !/^#|^https:\/\/github\.com\/acme\/shop\//.test(href))).toEqual([]);
});
