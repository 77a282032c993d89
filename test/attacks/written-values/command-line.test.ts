import { emptyHistory } from "../../../src/model/deployments/release-history.ts";
import type { Json } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import { attribute } from "../../../src/plan/attribution/attribute.ts";
import { pendingRelease } from "../../../src/releases/record.ts";
import { renderPage } from "../../../src/report/page/render-page.ts";
import { renderPlanText } from "../../../src/report/plans/plan-text.ts";
import { reportJson } from "../../../src/report/report-json.ts";
import { buildReview } from "../../../src/report/review/build-review.ts";
import { secretParamValues } from "../../../src/sources/bind-deployment.ts";
import { base64, expectNone } from "../../support/markers.ts";
import { renderComment, renderSummary } from "../../support/report/rendered.ts";
import {
  commentInput,
  live,
  planned,
  shopCompilation,
  shopPlan,
  shopReport,
} from "../../support/shop/shop-report.ts";
import { attacks } from "../attack.ts";

const text = "XQZJKVWYXQ";

function deployment(version: string, fields: (text: string) => Json): KubeObject {
  const metadata = { name: "web", namespace: "shop" };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: { version, is: fields(text) },
  };
}

interface Place {
  readonly place: string;
  readonly fields: (text: string) => Json;
  /** Returns the text in which the parameter `settings` contains the value. */
  readonly settings?: (text: string) => string;
}

/** Places outside Secrets where an adapter can put a value from the command line. */
const places: readonly Place[] = [
  { place: "a field of its own", fields: (value) => value },
  { place: "an address", fields: (value) => `http://u:${value}@db` },
  { place: "Base64", fields: base64 },
  { place: "a list", fields: (value) => [{ name: "PW", value }] },
  { place: "the name of a field", fields: (value) => ({ [value]: "on" }) },
  { place: "a part of a name", fields: (value) => ({ [`db-${value}.conf`]: { a: 1 } }) },
  { place: "the name of a field in Base64", fields: (value) => ({ [base64(value)]: "on" }) },
  {
    place: "the keys of a Secret",
    fields: (value) => ({
      kind: "Secret",
      metadata: { labels: { [value]: "a" }, annotations: { [value]: "b" } },
      data: { [value]: "eA==" },
      stringData: { [`${value}2`]: "x" },
    }),
  },
  ...[
    (value: string) => `{"db": {"user": "a", "password": "${value}"}}`,
    (value: string) => `db:\n  user: a\n  password: ${value}\n`,
    (value: string) => `LOG=debug\nDB_PASSWORD=${value}`,
    (value: string) => `{"auths": {"registry.example": {"auth": "${value}"}}}`,
  ].map((settings) => ({
    place: `a file with ${settings("…")}`,
    settings,
    fields: (value: string) => ({ "settings.conf": settings(value), password: value }),
  })),
];

attacks(
  "written values",
  "no preview shows a secret from the command line, in $place",
  places,
  ({ fields, settings }) => {
    const [name, value] =
      settings === undefined ? ["dbPassword", text] : ["settings", settings(text)];
    const origins = { inline: [name], secret: [] };
    const hides = secretParamValues(new Map([[name, value]]), origins);
    const [old, now] = [
      deployment("1", fields),
      deployment("2", (value) => ({ changed: fields(value) })),
    ];
    const change = { ...planned("app", "web", now, live(old)), action: "update" as const };
    const plan = shopPlan({ changes: [change, planned("app", "new", now, undefined)], hides });
    const shop = { ...shopCompilation("1.5.0", "308a0d0c4c", "debug"), hides, trace: undefined };
    const [base, head] = [old, now].map((object) => ({
      ...shop,
      resources: [
        { type: "manifest" as const, stage: "app" as const, id: "web", object, dependsOn: [] },
      ],
    }));
    const facts = { base, head, history: emptyHistory };
    for (const report of [
      shopReport({ plan, head, base, attributions: attribute(plan, facts) }),
      shopReport({ plan: undefined, head, base }),
    ]) {
      const input = commentInput(report);
      const all = [renderComment(input), renderSummary(input), JSON.stringify(reportJson(report))];
      const review = buildReview(input);
      const pages = [renderPage(review, { hash: () => "" }), JSON.stringify(review)];
      expectNone([text], [...all, ...pages, renderPlanText(plan, {}, [], report)].join("\n"));
    }
  },
);

/** Ways to make a param of an adapter secret. */
const params = [
  { why: "is named like one", params: { dbPassword: text }, hidden: [] },
  { why: "comes from the command line", params: { flag: text }, hidden: ["flag"] },
  { why: "holds one", params: { db: { token: text } }, hidden: [] },
  { why: "may have become one", params: { note: text }, hidden: [], kind: "Secret" },
];

attacks(
  "written values",
  "the layout of a release has no param that $why",
  params,
  ({ params: given, hidden, kind = "ConfigMap" }) => {
    const { layout } = shopCompilation("1.5.0", "308a0d0c4c", "debug");
    const inner = { ...layout, params: { from: text }, composites: [] };
    const node = { ...layout, params: given, hidden, composites: [inner] };
    const release = pendingRelease(shopPlan(), emptyHistory, {
      revision: 1,
      rollbackOf: undefined,
      inputConfig: { config: "", params: {}, modules: [] },
      expandedConfig: [{ stage: "app", resource: "s", object: { kind }, dependsOn: [] }],
      layout: { ...layout, composites: [node] },
      source: { commit: undefined, actor: undefined, run: undefined },
      startedAt: "",
    });
    expectNone([text], JSON.stringify(release.layout));
  },
);
