import { PassThrough } from "node:stream";
import { vi } from "vitest";
import { bestEffortGitHub } from "../../../src/action/github-errors.ts";
import { reportRunError } from "../../../src/action/run-action.ts";
import {
  linePainter,
  outputLooks,
  print,
  printJson,
  printManifests,
  printReport,
} from "../../../src/cli/output/print.ts";
import { reportFailure, reportProblems } from "../../../src/cli/output/report-failure.ts";
import { runCli } from "../../../src/cli/program/run-cli.ts";
import type { Output } from "../../../src/cli/program/shell.ts";
import { annotate } from "../../../src/io/github/annotations.ts";
import { logLines } from "../../../src/io/github/log.ts";
import type { DeployEvent } from "../../../src/model/deployments/event.ts";
import type { Plan } from "../../../src/model/plan/plan.ts";
import { UserError } from "../../../src/model/problems/errors.ts";
import type { Finding } from "../../../src/model/problems/finding.ts";
import type { Problem } from "../../../src/model/problems/problem.ts";
import type { Compilation } from "../../../src/model/sources/compilation.ts";
import type { AdapterDescription } from "../../../src/model/sources/description.ts";
import type { Compiler } from "../../../src/ports/cue.ts";
import type { CommentInput, DeploymentReport } from "../../../src/report/comment/comment-input.ts";
import {
  renderOutcomeSummary,
  renderOutcomes,
  withOutcome,
} from "../../../src/report/comment/outcome-comment.ts";
import {
  commentTitle,
  renderComment as renderReview,
} from "../../../src/report/comment/render-comment.ts";
import { adapterMarkdown } from "../../../src/report/describe/adapter-markdown.ts";
import { renderDescription } from "../../../src/report/describe/render-description.ts";
import { moduleMarkdown, renderModule } from "../../../src/report/describe/render-module.ts";
import { renderManifests } from "../../../src/report/diff/render-manifests.ts";
import type { OutcomeReport } from "../../../src/report/outcome-report.ts";
import { renderPage as renderReviewedPage } from "../../../src/report/page/render-page.ts";
import { renderOutcomeText } from "../../../src/report/plans/outcome-text.ts";
import { renderPlanText } from "../../../src/report/plans/plan-text.ts";
import { buildReview } from "../../../src/report/review/build-review.ts";
import { createProgress } from "../../../src/world/progress/progress.ts";
import { hostileReview } from "../../support/report/hostile-review.ts";
import { renderComment, renderPage, renderSummary } from "../../support/report/rendered.ts";
import {
  commentInput,
  configMap,
  planned,
  shopCompilation,
  shopDeployment,
  shopPlan,
  shopReport,
} from "../../support/shop/shop-report.ts";

/**
 * A place that shows text. `render` shows an untrusted text there, on its usual way through the
 * program.
 */
export interface Place {
  readonly name: string;
  render(text: string): string | Promise<string>;
}

/** Comments, summaries and documents that GitHub renders. */
export const markdownPlaces: readonly Place[] = [
  ...Object.entries(reports()).map(([name, report]) => ({
    name: `a comment: ${name}`,
    render: (text: string) => renderComment(commentInput(report(text))),
  })),
  ...[5_000, 2_500, 1_500].map((limit) => ({
    name: `a comment of at most ${limit} characters`,
    render: (text: string) =>
      renderComment(commentInput(...Object.values(reports()).map((report) => report(text))), limit),
  })),
  {
    name: "a comment: the reason for a missing preview",
    render: (text) => renderComment({ ...commentInput(), previewProblems: [problemOf(text)] }),
  },
  {
    name: "a comment of a fork's artifact: every text in it",
    render: (text) => renderReview(hostileReview(text), Number.POSITIVE_INFINITY),
  },
  {
    name: "a comment of a fork's artifact, shortened",
    render: (text) => renderReview(hostileReview(text)),
  },
  {
    name: "a comment: the URL of the run",
    render: (text) =>
      renderComment({ ...commentInput(shopReport()), runUrl: `https://github.com/acme/${text}` }),
  },
  {
    name: "a summary of several deployments",
    render: (text) =>
      renderSummary(commentInput(shopReport(), ...Object.values(reports()).map((r) => r(text)))),
  },
  ...Object.entries(outcomes()).map(([name, outcome]) => ({
    name: `an outcome: ${name}`,
    render: (text: string) =>
      renderOutcomes([outcome(text)], "0123456789abcdef", "https://github.com/acme/shop/actions"),
  })),
  {
    name: "an outcome: many, shortened",
    render: (text) =>
      renderOutcomes(
        Array.from({ length: 120 }, () => outcomes().evidence?.(text) ?? raise()),
        "0123456789abcdef",
        undefined,
      ),
  },
  {
    name: "the summary of an outcome",
    render: (text) =>
      renderOutcomeSummary(
        Object.values(outcomes()).map((outcome) => outcome(text)),
        "0123456789abcdef",
        undefined,
      ),
  },
  {
    name: "a preview with an outcome above it, twice",
    render: (text) => {
      const preview = renderComment(commentInput(...Object.values(reports()).map((r) => r(text))));
      const outcome = renderOutcomes([outcomes().evidence?.(text) ?? raise()], "abc", undefined);
      return withOutcome(withOutcome(preview, outcome), outcome);
    },
  },
  { name: "an adapter's document", render: (text) => adapterMarkdown(adapter(text), 1) },
  { name: "a module's document", render: (text) => moduleMarkdown(module(text)) },
];

/** Titles that GitHub shows as they are. */
export const titlePlaces: readonly Place[] = [
  {
    name: "the titles of checks",
    render: (text) =>
      Object.values(reports())
        .map((report) => commentTitle(buildReview(commentInput(report(text)))))
        .join("\n"),
  },
];

/** HTML pages for a browser. They can also be printed to the log of a job. */
export const pagePlaces: readonly Place[] = [
  ...Object.entries(reports()).map(([name, report]) => ({
    name: `a page: ${name}`,
    render: (text: string) => pageOf(commentInput(report(text))),
  })),
  {
    name: "a page of several deployments",
    render: (text) => pageOf(commentInput(...Object.values(reports()).map((r) => r(text)))),
  },
  {
    name: "a page: the reason for a missing preview",
    render: (text) => pageOf({ ...commentInput(), previewProblems: [problemOf(text)] }),
  },
  {
    name: "a page of a fork's artifact: every text in it",
    render: (text) => withoutCode(renderReviewedPage(hostileReview(text), { hash: () => "" })),
  },
  {
    name: "a page: the URL of the run",
    render: (text) =>
      pageOf({ ...commentInput(shopReport()), runUrl: `https://github.com/acme/${text}` }),
  },
];

/** Returns the page without its script and style, which contain no untrusted text. */
function pageOf(input: CommentInput): string {
  return withoutCode(renderPage(input, { hash: () => "" }));
}

function withoutCode(page: string): string {
  const [before, after] = [page.lastIndexOf("<script>"), page.lastIndexOf("</script>")];
  return (page.slice(0, before) + page.slice(after)).replace(/<style>.*?<\/style>/s, "");
}

/** The output on a terminal or in the log of a job. */
export const terminalPlaces: readonly Place[] = [
  ...[true, false].flatMap((isTTY) => [
    ...Object.entries(plans()).map(([name, plan]) => ({
      name: `a plan: ${name}, ${where(isTTY)}`,
      render: (text: string) =>
        written((stream) => stream.write(renderPlanText(plan(text), outputLooks(stream))), isTTY),
    })),
    {
      name: `an adapter, ${where(isTTY)}`,
      render: (text: string) =>
        written((stream) => {
          stream.write(renderDescription(adapter(text), 80, linePainter(stream)));
        }, isTTY),
    },
    {
      name: `a module, ${where(isTTY)}`,
      render: (text: string) =>
        written(
          (stream) => stream.write(renderModule(module(text), 80, linePainter(stream))),
          isTTY,
        ),
    },
    {
      name: `a problem, ${where(isTTY)}`,
      render: (text: string) => written((s) => reportProblems([problemOf(text)], s), isTTY),
    },
    {
      name: `a line of CUE, ${where(isTTY)}`,
      render: (text: string) =>
        written(
          (s) =>
            reportProblems([problemOf("x")], s, {
              findExcerpt: () => ({ line: `x ${text} y`, at: 4 }),
            }),
          isTTY,
        ),
    },
    {
      name: `the stack of a bug, ${where(isTTY)}`,
      render: (text: string) => written((s) => reportFailure(new Error(text), s), isTTY),
    },
    {
      name: `lines, ${where(isTTY)}`,
      render: (text: string) => written((s) => print(s, text), isTTY),
    },
    {
      name: `a report, ${where(isTTY)}`,
      render: (text: string) =>
        written((s) => printReport(s, `Notice: ${text}\n  | ${text}`), isTTY),
    },
    {
      name: `JSON, ${where(isTTY)}`,
      render: (text: string) => written((s) => printJson(s, { [text]: [text] }), isTTY),
    },
    {
      name: `progress, ${where(isTTY)}`,
      render: (text: string) =>
        written((stream) => {
          const progress = createProgress(stream, (key) => key, {}, { now: () => 0 });
          for (const event of events(text)) progress.report(event);
          vi.advanceTimersByTime(isTTY ? 1_000 : 31_000);
          progress.report({ type: "finished", ending: "failed" });
        }, isTTY),
    },
    {
      name: `invalid arguments, ${where(isTTY)}`,
      render: (text: string) => arguments_([text], isTTY),
    },
    {
      name: `a flag's value that is none, ${where(isTTY)}`,
      render: (text: string) => arguments_(["deploy", "--timeout", text], isTTY),
    },
  ]),
  {
    name: "manifests, on a terminal",
    render: (text) =>
      written((s) => printManifests(s, renderManifests(compilation(text))), true).replaceAll(
        // A terminal doesn't run workflow commands.
        /^(\s*)::|##\[/gm,
        "$1",
      ),
  },
  ...Object.entries(outcomes()).map(([name, outcome]) => ({
    name: `the log: an outcome, ${name}`,
    render: (text: string) => printed(() => logLines(renderOutcomeText(outcome(text)))),
  })),
  ...Object.entries(plans()).map(([name, plan]) => ({
    name: `the log: a plan, ${name}`,
    render: (text: string) => printed(() => logLines(`${text}\n${renderPlanText(plan(text))}`)),
  })),
  { name: "the log: lines", render: (text) => printed(() => logLines(text)) },
  {
    name: "the log: progress in groups",
    render: (text) =>
      written((stream) => {
        const env = { GITHUB_ACTIONS: "true" };
        const progress = createProgress(stream, (key) => key, env, { now: () => 0 });
        for (const event of events(text)) progress.report(event);
        progress.report({ type: "finished", ending: "failed" });
      }, false).replaceAll(/^::(group::(Stage app|Deletions)|endgroup::)$/gm, "(ours)"),
  },
];

/** Annotations of lines in a file. The runner reads them from the log. */
export const annotationPlaces: readonly Place[] = [
  {
    name: "an error",
    render: (text) => printed(() => annotate([problemOf(text)], "error", `QVS: ${text}`)),
  },
  {
    name: "a notice without a position",
    render: (text) =>
      printed(() => annotate([{ where: [], what: text, fix: "" }], "notice", "QVS")),
  },
  {
    name: "GitHub's error",
    render: (text) =>
      printed(() =>
        bestEffortGitHub("write the comment", () =>
          Promise.reject(Object.assign(new Error(text), { status: 403 })),
        ),
      ),
  },
  {
    name: "the error that ends the step",
    render: (text) =>
      printed(() => {
        const before = process.exitCode;
        reportRunError(new UserError([problemOf(text)]), new AbortController().signal, false);
        process.exitCode = before;
      }),
  },
];

function where(isTTY: boolean): string {
  return isTTY ? "on a terminal" : "in a pipe";
}

function raise(): never {
  throw new Error("the outcome doesn't exist");
}

function problemOf(text: string): Problem {
  const position = { file: `dir/${text}.cue`, line: 3, column: 4 };
  return {
    code: "invalid-object",
    where: [position, { ...position, line: 5 }],
    what: `It says: ${text}`,
    fix: text,
  };
}

function reports(): Readonly<Record<string, (text: string) => DeploymentReport>> {
  const named = (text: string) => ({
    ...configMap("new", "x"),
    metadata: { name: text, namespace: text },
  });
  return {
    "names of a deployment": (text) =>
      shopReport({
        deployment: shopDeployment({
          name: text,
          config: text,
          environment: text,
          context: text,
          namespace: text,
        }),
      }),
    "why it is not compared": (text) =>
      shopReport({ plan: undefined, clusterState: { compared: false, because: text } }),
    "what does not compile": (text) =>
      shopReport({ head: undefined, plan: undefined, problems: [problemOf(text)] }),
    "what can't be deployed": (text) =>
      shopReport({ plan: undefined, blockers: [problemOf(text)] }),
    "what the cluster would do": (text) =>
      shopReport({ findings: findingsOf(text), orphanWarnings: [problemOf(text)] }),
    "an entry of the lockfile": (text) => {
      const version = { from: text, version: text, pinned: text };
      const moved = {
        type: "chart",
        name: text,
        where: { file: text, line: 1, column: 1 },
      } as const;
      return shopReport({
        sources: [
          { ...moved, after: version },
          { ...moved, before: version },
          { ...moved, before: { ...version, from: "a" }, after: version },
          { ...moved, before: { ...version, pinned: "a" }, after: version },
        ],
      });
    },
    notices: (text) => shopReport({ plan: shopPlan({ notices: [problemOf(text)] }) }),
    "a value": (text) =>
      shopReport({
        plan: shopPlan({
          changes: [
            planned("app", "x", { ...configMap("a", "b"), data: { key: text } }, undefined),
          ],
        }),
      }),
    "a key": (text) =>
      shopReport({
        plan: shopPlan({
          changes: [
            planned("app", "x", { ...configMap("a", "b"), data: { [text]: "x" } }, undefined),
          ],
        }),
      }),
    "a name, and what it waits for": (text) => {
      const first = planned("app", "x", named(text), undefined);
      const second = planned("app", "y", named(`b${text}`), undefined, [
        { on: first.key, reason: text },
      ]);
      return shopReport({ plan: shopPlan({ changes: [first, second], deletions: [] }) });
    },
    "why an object is not checked": (text) =>
      shopReport({
        plan: shopPlan({
          changes: shopPlan().changes.map((change) => ({
            ...change,
            certainty: { by: "unchecked", reason: text },
          })),
          kept: [
            {
              key: "k",
              id: { group: "", kind: text, namespace: text, name: text },
              why: "not ours",
              detail: text,
            },
          ],
        }),
      }),
    "an adapter and its arguments": (text) => {
      const changed = (value: string): Compilation => {
        const { layout, ...rest } = shopCompilation("1.5.0", "308a0d0c4c", "debug");
        const composites = layout.composites.map((node) => ({
          ...node,
          pattern: `shop.example/${text}`,
          params: { ...node.params, image: value },
        }));
        return { ...rest, layout: { ...layout, composites } };
      };
      return shopReport({ base: changed(`old${text}`), head: changed(`new${text}`) });
    },
    "a provider and an id": (text) => {
      const head = shopCompilation("1.5.0", "308a0d0c4c", "debug");
      const resource = {
        type: "foreign",
        stage: "app",
        id: text,
        provider: text,
        content: text,
      } as const;
      return shopReport({ head: { ...head, resources: [...head.resources, resource] } });
    },
  };
}

function compilation(text: string): Compilation {
  const whole = shopCompilation("1.5.0", "308a0d0c4c", "debug");
  const resource = {
    type: "foreign",
    stage: "app",
    id: text,
    provider: text,
    content: { [text]: text },
  } as const;
  return { ...whole, resources: [...whole.resources, resource] };
}

function plans(): Readonly<Record<string, (text: string) => Plan>> {
  const of = (name: string) => (text: string) => reports()[name]?.(text).plan ?? raise();
  return {
    "its deployment": (text) => shopPlan({ deployment: text }),
    notices: of("notices"),
    "a value": of("a value"),
    "a key": of("a key"),
    "a name": of("a name, and what it waits for"),
    "why an object is not checked": of("why an object is not checked"),
  };
}

function outcomes(): Readonly<Record<string, (text: string) => OutcomeReport>> {
  const failed: OutcomeReport = {
    deployment: "shop",
    environment: undefined,
    revision: 8,
    rollbackOf: undefined,
    succeeded: false,
    results: [],
    evidence: [],
    refusal: undefined,
  };
  return {
    names: (text) => ({ ...failed, deployment: text, environment: text }),
    refusal: (text) => ({ ...failed, refusal: text }),
    results: (text) => ({
      ...failed,
      results: [{ key: `core:ConfigMap::shop/${text}`, outcome: "failed", detail: text }],
    }),
    evidence: (text) => ({
      ...failed,
      evidence: [{ key: text, lines: [text, ` ${text}`], publicLines: [text, text] }],
    }),
  };
}

function events(text: string): readonly DeployEvent[] {
  const key = `core:ConfigMap::shop/${text}`;
  return [
    { type: "lock-waiting", holder: text },
    { type: "lock-kept", why: text },
    { type: "planned", upserts: 4, deletions: 1, unchanged: 0 },
    { type: "stage-started", stage: "app" },
    { type: "applying", key, action: "update", transfers: [text] },
    { type: "applied", key, action: "update" },
    { type: "waiting", key, why: `${text}; Pod x: ${text}`, isTrouble: true },
    { type: "ready", key: `${key}2`, notice: text },
    { type: "failed", key: `${key}3`, why: text },
    { type: "deleting", key: `${key}4` },
    { type: "kept", key: `${key}4`, why: text },
  ];
}

function adapter(text: string): AdapterDescription {
  const position = { file: `dir/${text}.cue`, line: 3, column: 4 };
  const shape = { is: "value", value: text } as const;
  // Several paragraphs are shown as several paragraphs.
  const paragraph = text.replaceAll(/\s*\n\s*\n\s*/g, "\n");
  return {
    pattern: `a.example/${text}`,
    name: text,
    description: paragraph,
    group: text,
    doc: `one\n\n${paragraph}`,
    position,
    parameters: {
      is: "struct",
      closed: true,
      fields: [
        { name: text, shape, presence: "default", default: text, doc: paragraph, position },
        { name: `b${text}`, shape, presence: "computed", computed: text, doc: paragraph },
      ],
    },
    conditions: [{ text: `if x {\n\t${text}\n}`, position }],
    composites: [{ pattern: text, name: text, group: text, composites: [] }],
    compositesKnown: false,
    resources: { appSetup: { ids: [text], more: true }, app: { ids: [], more: false } },
    pipelinesOnly: false,
  };
}

function module(text: string) {
  const failures = [{ pattern: text, problems: [problemOf(text)] }];
  return { module: "a.example", adapters: [adapter(text)], failures };
}

/** Returns the text that is written to a stream over some time. */
function written(write: (stream: Output) => void, isTTY: boolean): string {
  vi.useFakeTimers();
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 80, rows: 30 });
  let text = "";
  stream.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  try {
    write(stream as never);
    stream.resume();
    text += String(stream.read() ?? "");
    return withoutFrames(text);
  } finally {
    vi.useRealTimers();
  }
}

/** Removes the escapes that redraw the screen. qvs writes them between lines, never within one. */
function withoutFrames(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: qvs writes these
  return text.replaceAll(/\x1b\[(?:2K|1A|G|1G|\?25[lh]|\?2026[lh]|J|0J|\d+A)/g, "");
}

/** Returns the text that is printed to the log of a job. */
async function printed(print: () => void | Promise<void>): Promise<string> {
  let text = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  try {
    await print();
    return text;
  } finally {
    write.mockRestore();
  }
}

async function arguments_(args: readonly string[], isTTY: boolean): Promise<string> {
  const streams = [0, 1].map(() => Object.assign(new PassThrough(), { isTTY, columns: 80 }));
  const [stdout, stderr] = streams;
  const shell = { argv: ["node", "qvs", ...args], env: {}, stdout, stderr, cwd: () => "/" };
  await runCli(shell as never, {} as Compiler, new AbortController().signal);
  return streams.map((stream) => String(stream.read() ?? "")).join("");
}

/** Returns a finding that is shown, and one that is allowed. */
function findingsOf(text: string): readonly Finding[] {
  const finding: Finding = {
    ...{ code: "rollout-deadlock", severity: "error", where: problemOf(text).where },
    object: { apiVersion: text, kind: text, namespace: text, name: text },
    ...{ what: text, why: text, fix: text, paste: [text] },
  };
  return [finding, { ...finding, allowed: { where: problemOf(text).where } }];
}
