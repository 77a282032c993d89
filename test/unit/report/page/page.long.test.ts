import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe, { type AxeResults } from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findChromium } from "../../../support/report/chromium.ts";
import { caseNamed } from "../../../support/report/comment-cases.ts";
import { renderPage } from "../../../support/report/rendered.ts";

/** Tests pages in a real browser. */
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

interface Opened {
  readonly page: Page;
  /** Errors of the browser: rejections by the page's policy, and errors of its script. */
  readonly complaints: string[];
  /** The requested addresses, without the page's own. */
  readonly requests: string[];
  /** The requests that the page's policy has blocked. */
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
  "untrusted text",
];

describe.each(looked)("%s", (name) => {
  const html = renderPage(caseNamed(name), { hash });

  test("loads nothing else, and its policy blocks nothing of it", async () => {
    const { page, complaints, requests } = await open(html);
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    expect(requests).toEqual([]);
  });

  test("fits the window on a phone, a tablet and a desktop", async () => {
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
  ] as const)("has no serious axe violations, %s at %i px", async (colorScheme, width) => {
    const { page } = await open(html, { colorScheme, width });
    await openAll(page);
    expect(await seriousIn(page)).toEqual([]);
  });
});

test("a phone shows the failing deployments without horizontal scrolling", async () => {
  const html = renderPage(caseNamed("deployments that wait for one that would fail"), { hash });
  const { page } = await open(html, { width: 360 });
  const reasons = page.getByRole("table").first();
  for (const name of ["platform", "web"]) {
    const cell = await reasons.getByRole("row", { name }).getByRole("cell").first().boundingBox();
    expect((cell?.x ?? 0) + (cell?.width ?? 999), name).toBeLessThanOrEqual(360);
  }
  expect(await reasons.getByRole("cell").first().textContent()).toMatch(/^blocked: field conflict/);
  const api = await page.locator("summary").filter({ hasText: "api" }).boundingBox();
  expect((api?.x ?? 0) + (api?.width ?? 999)).toBeLessThanOrEqual(360);
});

test.each(["findings of every kind", "thirty deployments"])(
  "the reason for the verdict is above the filter: %s",
  async (name) => {
    for (const width of [390, 1440]) {
      const { page } = await open(renderPage(caseNamed(name), { hash }), { width });
      const filter = await page.getByRole("search").boundingBox();
      const reasons = page.locator("h1, .overview, .alone .box");
      const boxes = await Promise.all((await reasons.all()).map((each) => each.boundingBox()));
      expect(boxes.length).toBeGreaterThan(1);
      for (const box of boxes) {
        expect((box?.y ?? 9_999) + (box?.height ?? 0)).toBeLessThanOrEqual(filter?.y ?? 0);
      }
    }
  },
);

test.each(looked)("no line of text has more than 80 characters: %s", async (name) => {
  const { page } = await open(renderPage(caseNamed(name), { hash }), { width: 1440 });
  await openAll(page);
  const lines = await page.evaluate<readonly string[]>(`(${linesOfText})()`);
  expect(lines.length).toBeGreaterThan(3);
  expect(lines.filter((line) => line.trim().length > 80)).toEqual([]);
});

/** Runs in the page. Returns the lines of its sentences as the browser has broken them. */
function linesOfText(): readonly string[] {
  // @ts-expect-error The page has a document.
  const { document } = globalThis;
  const texts = [...document.querySelectorAll("h1, p, li, td.why, .overview td, .short")];
  const range = document.createRange();
  return texts.flatMap((element) => {
    const lines = new Map<number, string>();
    const walker = document.createTreeWalker(element, 4);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const around = node.parentElement.closest("h1, p, li, td, .short, pre, .lines, svg");
      if (around !== element) continue;
      for (let i = 0; i < node.data.length; i += 1) {
        range.setStart(node, i);
        range.setEnd(node, i + 1);
        const [box] = range.getClientRects();
        if (box === undefined || box.width === 0) continue;
        // Letters of a smaller font end at most 6 px above those next to them.
        const line = Math.round((box.top + box.bottom) / 12);
        const near = [line, line - 1, line + 1].find((each) => lines.has(each)) ?? line;
        lines.set(near, (lines.get(near) ?? "") + node.data[i]);
      }
    }
    return [...lines.values()];
  });
}

describe("the list of deployments", () => {
  const html = renderPage(caseNamed("thirty deployments"), { hash });

  test("is open at the side of a wide screen, with the icon of each deployment", async () => {
    const { page } = await open(html, { width: 1440 });
    const list = page.getByRole("navigation", { name: "Deployments" });
    const main = await page.getByRole("main").boundingBox();
    const side = await list.boundingBox();
    expect((side?.x ?? 0) + (side?.width ?? 9_999)).toBeLessThan(main?.x ?? 0);
    expect(await list.locator("summary").isVisible()).toBe(false);
    const items = await list.getByRole("listitem").all();
    expect(items).toHaveLength(30);
    expect(await items[0]?.getByRole("img").getAttribute("aria-label")).toBe("Blocked");
    expect(await items[0]?.textContent()).toBe("🛑 shop-23");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("shop-23");
  });

  test("is one closed line above the content of a narrow screen", async () => {
    const { page } = await open(html, { width: 900 });
    const list = page.getByRole("navigation", { name: "Deployments" });
    const [main, above] = [await page.getByRole("main").boundingBox(), await list.boundingBox()];
    expect((above?.y ?? 0) + (above?.height ?? 9_999)).toBeLessThanOrEqual(main?.y ?? 0);
    expect(above?.height).toBeLessThan(60);
    await list.getByText("30 deployments").click();
    expect(await list.getByRole("link", { name: "shop-29" }).isVisible()).toBe(true);
  });

  test("links to a closed deployment and opens it", async () => {
    const { page, complaints } = await open(html, { width: 1440 });
    const content = page.locator("section[aria-label=shop-14] .objects");
    expect(await content.isVisible()).toBe(false);
    await page.getByRole("navigation").getByRole("link", { name: "shop-14" }).click();
    expect(await content.isVisible()).toBe(true);
    const filter = await page.getByRole("search").boundingBox();
    const heading = await page.getByRole("heading", { name: "shop-14" }).boundingBox();
    expect(heading?.y).toBeGreaterThanOrEqual((filter?.y ?? 0) + (filter?.height ?? 0));
    expect(heading?.y).toBeLessThan(800);
    expect(complaints).toEqual([]);
  });

  test("isn't printed", async () => {
    const { page } = await open(html, { width: 1440 });
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("navigation").isVisible()).toBe(false);
  });
});

test("only deployments with findings, errors or dangers are open", async () => {
  const { page } = await open(renderPage(caseNamed("thirty deployments"), { hash }));
  expect(await page.locator("details.fold").count()).toBe(21);
  const open_ = page.locator("details.fold[open] h2");
  expect(await open_.allInnerTexts()).toEqual(["🛑 shop-23", "⚠️ shop-18"]);
});

test("the drawing of the order is dark in dark mode, and its legend has its colors", async () => {
  const html = renderPage(caseNamed("a routine change"), { hash });
  const fills: Readonly<Record<string, string>>[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    const { page } = await open(html, { colorScheme });
    const legend = page.getByRole("list", { name: "Legend" });
    const words = await legend.getByRole("listitem").allTextContents();
    expect(words.map((each) => each.trim())).toEqual([
      "+ create",
      "~ update",
      "- delete",
      "the object at the arrowhead waits",
      "qvs deletes nothing before all objects are ready",
    ]);
    const fillOf = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector("${selector}")).fill`);
    const found: Record<string, string> = {};
    for (const action of ["create", "update", "delete"]) {
      found[action] = await fillOf(`.graph .scroll .${action} rect`);
      expect(await fillOf(`.legend .${action} rect`), action).toBe(found[action]);
    }
    fills.push(found);
  }
  expect(fills).toEqual([
    { create: "rgb(218, 251, 225)", update: "rgb(255, 248, 197)", delete: "rgb(255, 235, 233)" },
    { create: "rgb(18, 48, 31)", update: "rgb(39, 32, 16)", delete: "rgb(58, 26, 30)" },
  ]);
});

/** Opens all folded content, because it can have faults too. */
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

test("axe detects a fault", async () => {
  const html = renderPage(caseNamed("findings of every kind"), { hash });
  const { page } = await open(html.replace('<label>Text <input type="search"', "<input"));
  const [found] = await seriousIn(page);
  expect(found).toContain("label");
});

test("injected code would neither run nor load anything", async () => {
  const intruder = `<script>document.title="owned"</script><img src="https://evil.example/x.png" onerror="document.title='owned'"><style>h1{display:none}</style>`;
  const html = renderPage(caseNamed("findings of every kind"), { hash });
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
  const html = renderPage(caseNamed("two deployments, one in conflict"), { hash });

  test("shows objects by their names and values, by action, and by danger", async () => {
    const { page, complaints } = await open(html);
    const shown = () => page.locator("tbody.object:visible").count();
    const status = page.getByRole("status");
    await expectText(status, "4 of 4 objects");
    expect(await shown()).toBe(2);
    await page.getByLabel("Text").fill("LOG.level web-config");
    await expectText(status, "2 of 4 objects");
    expect(await shown()).toBe(2);
    await page.getByLabel("Text").fill("nothing has this");
    expect(await shown()).toBe(0);
    await page.getByLabel("Text").fill("");
    await page.getByLabel("Action").selectOption("update");
    expect(await shown()).toBe(2);
    await page.getByLabel("Action").selectOption("");
    expect(await shown()).toBe(2);
    expect(complaints).toEqual([]);
  });

  test("opens the deployments of the objects that it shows, and closes them afterwards", async () => {
    const { page } = await open(html);
    const opened = () => page.locator("details.fold[open] h2").allInnerTexts();
    expect(await opened()).toEqual(["🛑 shop-prod"]);
    await page.getByLabel("Action").selectOption("update");
    expect(await opened()).toEqual(["🛑 shop-prod", "🟢 shop-staging"]);
    await page.getByLabel("dangerous only").check();
    expect(await opened()).toEqual(["🛑 shop-prod"]);
    await page.getByLabel("dangerous only").uncheck();
    await page.getByLabel("Action").selectOption("");
    expect(await opened()).toEqual(["🛑 shop-prod"]);
  });

  test("finds equal text in many objects", async () => {
    const { page } = await open(
      renderPage(caseNamed("the same label in fourteen objects"), { hash }),
    );
    await page.getByLabel("Text").fill('version: "1.3" worker-3');
    await expectText(page.getByRole("status"), "1 of 14 objects");
    await page.getByLabel("Text").fill('version: "1.3"');
    await expectText(page.getByRole("status"), "14 of 14 objects");
  });

  test("shows only dangerous changes", async () => {
    const { page } = await open(renderPage(caseNamed("findings of every kind"), { hash }));
    await page.getByLabel("dangerous only").check();
    await expectText(page.getByRole("status"), "2 of 3 objects");
    const names = await page.locator("tbody.object:visible th").allInnerTexts();
    expect(names).toEqual(["Deployment shop/web dangerous", "Deployment shop/worker dangerous"]);
  });

  test("works with the keyboard alone, and Enter sends no request", async () => {
    const { page, requests } = await open(
      renderPage(caseNamed("findings of every kind"), { hash }),
    );
    const focused = () =>
      page.evaluate<string>("document.activeElement.getAttribute('name') ?? ''");
    // The links of the reason are before the filter.
    for (let i = 0; i < 20 && (await focused()) !== "words"; i += 1) {
      await page.keyboard.press("Tab");
    }
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
    expect(await page.evaluate("document.activeElement.textContent")).toMatch(/^2 notices: /);
    expect(requests).toEqual([]);
  });

  test("opens and closes the diffs", async () => {
    const { page } = await open(html);
    const closed = () => page.locator("tr.diff details:not([open])").count();
    await page.getByRole("button", { name: "Close all diffs" }).click();
    expect(await closed()).toBe(4);
    await page.getByRole("button", { name: "Open all diffs" }).click();
    expect(await closed()).toBe(0);
    expect(await page.locator("tr.diff:visible").count()).toBe(4);
  });

  test("isn't shown without a script or on paper", async () => {
    const { page } = await open(html);
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("search").isVisible()).toBe(false);
    const plain = await browser.newPage({ javaScriptEnabled: false });
    onTestFinished(() => plain.close());
    await plain.setContent(html);
    expect(await plain.getByRole("search").isVisible()).toBe(false);
    await plain.locator("details.fold:not([open]) > summary").click();
    expect(await plain.locator("tbody.object:visible").count()).toBe(4);
  });
});

async function expectText(found: ReturnType<Page["getByRole"]>, text: string): Promise<void> {
  expect(await found.textContent()).toBe(text);
}

test("both sides of a diff are next to each other on a wide screen, and stacked on a narrow one", async () => {
  const html = renderPage(caseNamed("one line of one object"), { hash });
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

test("filters three thousand objects", async () => {
  const html = renderPage(caseNamed("three thousand objects"), { hash });
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
