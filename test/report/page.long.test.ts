import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe, { type AxeResults } from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { CommentInput } from "../../src/report/comment/comment-input.ts";
import { findChromium } from "../support/chromium.ts";
import { renderPage } from "../support/rendered.ts";
import { commentCases } from "./comment-cases.ts";

/** Pages in a real browser. */
let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), "pages-"));

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

function caseOf(name: string): CommentInput {
  const found = commentCases.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no case ${name}.`);
  return found.input;
}

interface Opened {
  readonly page: Page;
  /** What the browser complains of: refusals by the page's policy, errors of its script. */
  readonly complaints: string[];
  /** Addresses that were asked for besides the page's own. */
  readonly requests: string[];
  /** Those of them that the page's policy has stopped. */
  readonly refused: string[];
}

interface Look {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
}

async function open(html: string, { width = 1280, colorScheme = "light" }: Look = {}) {
  const path = join(folder, `${hash(html).slice(0, 16)}.html`);
  writeFileSync(path, html);
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  onTestFinished(() => page.close());
  const opened: Opened = { page, complaints: [], requests: [], refused: [] };
  const address = pathToFileURL(path).href;
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) opened.complaints.push(message.text());
  });
  page.on("pageerror", (error) => opened.complaints.push(error.message));
  page.on("request", (request) => {
    if (request.url() !== address) opened.requests.push(request.url());
  });
  page.on("requestfailed", (request) => {
    if (request.failure()?.errorText === "csp") opened.refused.push(request.url());
  });
  await page.goto(address);
  return opened;
}

const looked = [
  "findings of every kind",
  "two deployments, one in conflict",
  "thirty deployments",
  "the same label in fourteen objects",
  "another version of a kind",
  "an order of many objects",
  "a config that does not compile",
  "text that others wrote",
];

describe.each(looked)("%s", (name) => {
  const html = renderPage(caseOf(name), { hash });

  test("needs nothing but itself, and its policy refuses nothing of it", async () => {
    const { page, complaints, requests } = await open(html);
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    expect(requests).toEqual([]);
  });

  test("is as wide as the window, on a phone, a tablet and a desk", async () => {
    const { page } = await open(html);
    await openAll(page);
    for (const width of [360, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const { scrollWidth } = await page.evaluate<{ scrollWidth: number }>(
        "({ scrollWidth: document.documentElement.scrollWidth })",
      );
      expect(scrollWidth, `${width} px`).toBe(width);
    }
  });

  test.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)("axe finds nothing serious in it, %s at %i px", async (colorScheme, width) => {
    const { page } = await open(html, { colorScheme, width });
    await openAll(page);
    expect(await seriousIn(page)).toEqual([]);
  });
});

test("a telephone shows what fails in which deployment without being scrolled to the side", async () => {
  const html = renderPage(caseOf("deployments that wait for one that would fail"), { hash });
  const { page } = await open(html, { width: 360 });
  const table = page.getByRole("region", { name: "Deployments" });
  for (const name of ["platform", "web", "api", "docs"]) {
    const row = table.getByRole("row", { name });
    const cell = await row.getByRole("cell").first().boundingBox();
    expect((cell?.x ?? 0) + (cell?.width ?? 999), name).toBeLessThanOrEqual(360);
  }
  expect(await table.getByRole("cell").first().textContent()).toMatch(/^blocked: field conflict/);
});

/** Everything that is folded can be wrong, too. */
async function openAll(page: Page): Promise<void> {
  await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
}

async function seriousIn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}

test("axe finds what is wrong", async () => {
  const html = renderPage(caseOf("findings of every kind"), { hash });
  const { page } = await open(html.replace('<label>Text <input type="search"', "<input"));
  const [found] = await seriousIn(page);
  expect(found).toContain("label");
});

test("what got into a page in spite of all would neither run nor load anything", async () => {
  const intruder = `<script>document.title="owned"</script><img src="https://evil.example/x.png" onerror="document.title='owned'"><style>h1{display:none}</style>`;
  const html = renderPage(caseOf("findings of every kind"), { hash });
  const { page, complaints, requests, refused } = await open(
    html.replace("<main", `${intruder}<main`),
  );
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(await page.title()).toBe("Preview of shop-staging");
  expect(complaints.filter((text) => /Content Security Policy/.test(text))).not.toEqual([]);
  expect(refused).toEqual(["https://evil.example/x.png"]);
  expect(requests).toEqual(refused);
});

describe("the filter", () => {
  const html = renderPage(caseOf("two deployments, one in conflict"), { hash });

  test("shows objects by their names and values, by action, and by danger", async () => {
    const { page, complaints } = await open(html);
    const shown = () => page.locator("tbody.object:visible").count();
    const status = page.getByRole("status");
    await expectText(status, "4 of 4 objects");
    await page.getByLabel("Text").fill("LOG.level web-config");
    await expectText(status, "2 of 4 objects");
    expect(await shown()).toBe(2);
    await page.getByLabel("Text").fill("nothing has this");
    expect(await shown()).toBe(0);
    await page.getByLabel("Text").fill("");
    await page.getByLabel("Action").selectOption("update");
    expect(await shown()).toBe(2);
    await page.getByLabel("Action").selectOption("");
    expect(await shown()).toBe(4);
    expect(complaints).toEqual([]);
  });

  test("finds what is the same in many objects", async () => {
    const { page } = await open(renderPage(caseOf("the same label in fourteen objects"), { hash }));
    await page.getByLabel("Text").fill('version: "1.3" worker-3');
    await expectText(page.getByRole("status"), "1 of 14 objects");
    await page.getByLabel("Text").fill('version: "1.3"');
    await expectText(page.getByRole("status"), "14 of 14 objects");
  });

  test("shows what is dangerous only", async () => {
    const { page } = await open(renderPage(caseOf("findings of every kind"), { hash }));
    await page.getByLabel("dangerous only").check();
    await expectText(page.getByRole("status"), "2 of 3 objects");
    const names = await page.locator("tbody.object:visible th").allInnerTexts();
    expect(names).toEqual(["Deployment shop/web dangerous", "Deployment shop/worker dangerous"]);
  });

  test("is used by keyboard alone, and Enter sends nothing", async () => {
    const { page, requests } = await open(renderPage(caseOf("findings of every kind"), { hash }));
    await page.keyboard.press("Tab");
    await page.keyboard.type("web-config-308");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    expect(await page.getByLabel("dangerous only").isChecked()).toBe(true);
    expect(await page.getByLabel("Text").inputValue()).toBe("web-config-308");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("A");
    expect(requests).toEqual([]);
  });

  test("opens and closes the diffs", async () => {
    const { page } = await open(html);
    const closed = () => page.locator("tr.diff details:not([open])").count();
    await page.getByRole("button", { name: "Close all diffs" }).click();
    expect(await closed()).toBe(4);
    await page.getByRole("button", { name: "Open all diffs" }).click();
    expect(await closed()).toBe(0);
  });

  test("is not there without a script, nor on paper", async () => {
    const { page } = await open(html);
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("search").isVisible()).toBe(false);
    const plain = await browser.newPage({ javaScriptEnabled: false });
    onTestFinished(() => plain.close());
    await plain.setContent(html);
    expect(await plain.getByRole("search").isVisible()).toBe(false);
    expect(await plain.locator("tbody.object:visible").count()).toBe(4);
  });
});

async function expectText(found: ReturnType<Page["getByRole"]>, text: string): Promise<void> {
  expect(await found.textContent()).toBe(text);
}

test("both sides of a diff are beside each other where there is room, else below each other", async () => {
  const html = renderPage(caseOf("one line of one object"), { hash });
  for (const [width, isBeside] of [
    [1280, true],
    [360, false],
  ] as const) {
    const { page } = await open(html, { width });
    const [old, now] = await Promise.all(
      ["del", "ins"].map((side) => page.locator(side).first().boundingBox()),
    );
    expect(old?.y === now?.y, `${width} px`).toBe(isBeside);
  }
});

test("three thousand objects are filtered", async () => {
  const html = renderPage(caseOf("three thousand objects"), { hash });
  expect(Buffer.byteLength(html)).toBeLessThan(8_000_000);
  const { page, complaints } = await open(html);
  const status = page.getByRole("status");
  const [, all = ""] = /^(\d+) of \1 objects$/.exec((await status.textContent()) ?? "") ?? [];
  expect(Number(all)).toBeGreaterThanOrEqual(3_000);
  const title = await page.locator("tbody.object th").nth(1_234).textContent();
  const name = title?.split(" ")[1] ?? "";
  await page.getByLabel("Text").fill(name);
  expect(await status.textContent()).toMatch(/^1?\d of /);
  expect(complaints).toEqual([]);
});
