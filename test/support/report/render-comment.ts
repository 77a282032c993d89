import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { marked } from "marked";
import { commentInput, shopReport } from "../shop/shop-report.ts";
import { renderComment } from "./rendered.ts";

/**
 * Renders a comment like GitHub, for a visual check and for the README:
 *
 *     node test/support/report/render-comment.ts OUTPUT_FOLDER [COMMENT.md] [--dark] [--narrow]
 *
 * Writes comment.md and comment.html. It also writes comment.png if Chromium is installed or
 * CHROMIUM names it.
 */
const isDark = process.argv.includes("--dark");
const width = process.argv.includes("--narrow") ? 390 : 900;
const [folder = ".cache/comment", file] = process.argv
  .slice(2)
  .filter((arg) => !arg.startsWith("--"));
const colours = isDark
  ? { back: "#0d1117", title: "#151b23", line: "#3d444d", soft: "#9198a1", hunk: "#ab7df8" }
  : { back: "#fff", title: "#f6f8fa", line: "#d1d9e0", soft: "#59636e", hunk: "#8250df" };
const extraStyle = `
body { background: ${colours.back}; margin: 16px; width: ${width - 40}px; }
.frame { border: 1px solid ${colours.line}; border-radius: 6px; overflow: hidden; }
.title { background: ${colours.title}; border-bottom: 1px solid ${colours.line}; padding: 8px 16px; font: 14px sans-serif; color: ${colours.soft}; }
.markdown-body { padding: 16px; font-size: 14px; font-family: "Noto Sans", "DejaVu Sans", "Noto Color Emoji", sans-serif; }
.add { background: ${isDark ? "#12261e" : "#dafbe1"}; } .del { background: ${isDark ? "#25171c" : "#ffebe9"}; } .hunk { color: ${colours.hunk}; font-weight: bold; }
.add, .del, .hunk { display: inline-block; width: 100%; }
`;

const markdown =
  file === undefined ? renderComment(commentInput(shopReport())) : readFileSync(file, "utf8");

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "comment.md"), markdown);
writeFileSync(join(folder, "comment.html"), page(markdown));
takeScreenshot(join(folder, "comment.html"), join(folder, "comment.png"));

function page(text: string): string {
  const style = new URL(
    isDark
      ? import.meta.resolve("github-markdown-css/github-markdown-dark.css")
      : import.meta.resolve("github-markdown-css/github-markdown-light.css"),
  );
  const body = marked.parse(text, { async: false, gfm: true });
  return `<!doctype html><meta charset="utf-8"><style>${readFileSync(style, "utf8")}${extraStyle}</style>
<div class="frame"><div class="title"><b>github-actions</b> commented · edited</div>
<article class="markdown-body">${colourDiffs(drawAlerts(body))}</article></div>
<script>document.body.dataset.height = Math.ceil(document.body.getBoundingClientRect().height) + 32;</script>`;
}

/** Renders GitHub's colored boxes: quotes that start with [!WARNING] and similar marks. */
function drawAlerts(html: string): string {
  return html.replaceAll(/<blockquote>\s*<p>\[!(\w+)\]\s*/g, (_, level: string) => {
    const title = level[0] + level.slice(1).toLowerCase();
    return `<blockquote class="markdown-alert markdown-alert-${level.toLowerCase()}"><p class="markdown-alert-title">${title}</p><p>`;
  });
}

function colourDiffs(html: string): string {
  return html.replaceAll(
    /(<code class="language-diff">)([\s\S]*?)(<\/code>)/g,
    (_, open, body, close) => {
      const lines = String(body).trimEnd().split("\n").map(colourLine);
      return `${open}${lines.join("\n")}${close}`;
    },
  );
}

function colourLine(line: string): string {
  const kind = { "+": "add", "-": "del", "@": "hunk" }[line[0] ?? ""];
  return kind === undefined ? line : `<span class="${kind}">${line}</span>`;
}

function takeScreenshot(html: string, png: string): void {
  try {
    const dom = chromium(`--window-size=${width},600`, "--dump-dom", `file://${resolve(html)}`);
    const height = /data-height="(\d+)"/.exec(dom)?.[1] ?? "1400";
    const screenshot = [`--window-size=${width},${height}`, `--screenshot=${resolve(png)}`];
    chromium("--force-device-scale-factor=1.5", ...screenshot, `file://${resolve(html)}`);
  } catch {
    process.stderr.write("No screenshot: install Chromium (apt-get install chromium)\n");
  }
}

function chromium(...options: readonly string[]): string {
  const quiet = [
    "--headless",
    "--no-sandbox",
    "--hide-scrollbars",
    "--disable-background-networking",
  ];
  const stdio = ["ignore", "pipe", "ignore"] as const;
  return execFileSync(process.env.CHROMIUM ?? "chromium", [...quiet, ...options], {
    timeout: 600_000,
    encoding: "utf8",
    stdio: [...stdio],
  });
}
