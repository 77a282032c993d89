import { describe, expect, it } from "vitest";
import type { Release } from "../../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../../src/model/deployments/release-history.ts";
import { hiddenStrings } from "../../../../src/releases/queries/hidden-strings.ts";
import { layoutPaths, recordedInstances } from "../../../../src/releases/queries/instances.ts";
import {
  recordedDeployments,
  summarizeReleases,
} from "../../../../src/releases/queries/recorded-deployments.ts";
import { release, releasesFrom } from "../../../support/plan/release-from.ts";

describe("the current release, from the metadata of records", () => {
  const secret = (name: string, status: string | undefined, namespace = "shop") => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name,
      namespace,
      labels: status === undefined ? {} : { "vs.axis-dev.io/status": status },
    },
  });
  it.each<[string, readonly ReturnType<typeof secret>[], string]>([
    [
      "the newest successful one with its parts, and all later ones",
      [
        secret("qvs.web.v1", "succeeded"),
        secret("qvs.web.v2", "succeeded"),
        secret("qvs.web.v2.part1", undefined),
        secret("qvs.web.v10", "failed"),
      ],
      "shop/web 10 2 1: qvs.web.v2 qvs.web.v2.part1 qvs.web.v10",
    ],
    [
      "all, if none has succeeded",
      [secret("qvs.web.v1", "failed"), secret("qvs.web.v2", "pending")],
      "shop/web 2 1: qvs.web.v1 qvs.web.v2",
    ],
    ["parts alone aren't a release", [secret("qvs.web.v1.part1", undefined)], ""],
    [
      "one name in two namespaces is two deployments",
      [secret("qvs.a.v1", "succeeded", "y"), secret("qvs.a.v3", "succeeded", "x")],
      "x/a 3: qvs.a.v3\ny/a 1: qvs.a.v1",
    ],
    ["Secrets with other names are ignored", [secret("qvs.web", "succeeded")], ""],
  ])("%s", (_, secrets, expected) => {
    const found = recordedDeployments(secrets).map(
      ({ namespace, name, revisions, secrets }) =>
        `${namespace}/${name} ${revisions.join(" ")}: ${secrets.join(" ")}`,
    );
    expect(found.join("\n")).toBe(expected);
  });
});

describe("the objects of a deployment", () => {
  it("are those that the newest successful release declares, and other possible ones", () => {
    const releases = releasesFrom(
      `
      3 failed declares: b c, inventory: a b c
      2 succeeded declares: a b, inventory: a b kept
      1 succeeded declares: z`.trim(),
    );
    const found = recordedInstances(createReleaseHistory(releases)).map(
      ({ id, release }) => `${id.name} ${release ?? "-"}`,
    );
    expect(found).toEqual(["a 2", "b 2", "c -", "kept -"]);
  });
});

describe("a list of releases", () => {
  it.each<[string, boolean, string]>([
    ["3 pending\n2 failed\n1 succeeded", false, "3 never ended, 2 failed, 1 succeeded runs"],
    ["3 pending\n2 pending\n1 failed", true, "3 under way, 2 never ended, 1 failed"],
    ["1 succeeded\n2 succeeded", false, "2 succeeded runs, 1 succeeded"],
  ])("shows the status of each release in %j, locked: %j", (lines, isLocked, expected) => {
    const found = summarizeReleases(createReleaseHistory(releasesFrom(lines)), isLocked).map(
      ({ revision, status, isRunning }) => `${revision} ${status}${isRunning ? " runs" : ""}`,
    );
    expect(found.join(", ")).toBe(expected);
  });
});

it("a resource has a path for each adapter that contributes to it", () => {
  const node = (
    pattern: string,
    resources: readonly string[],
    composites: readonly object[] = [],
  ) => ({ ...release(1, "succeeded").layout, pattern, resources, composites }) as Release["layout"];
  const layout = node(
    "config",
    [],
    [node("a", ["app/web"], [node("b", ["app/web", "app/other"])]), node("c", ["app/other"])],
  );
  expect(layoutPaths(layout, "app/web")).toEqual([["a"], ["a", "b"]]);
  expect(layoutPaths(layout, "app/other")).toEqual([["a", "b"], ["c"]]);
  expect(layoutPaths(layout, "app/none")).toEqual([]);
});

it("the values of params with secret names are hidden, wherever they were set", () => {
  const plain = release(1, "succeeded");
  const params = {
    dbPassword: "open-sesame",
    apiKey: { key: "vault/path", version: "1" },
    secretName: "not-a-secret",
    image: "web:1",
    nested: [{ token: "inner-token" }],
  };
  const layout = { ...plain.layout, params: { greeting: "told-only-here" }, hidden: ["greeting"] };
  const texts = hiddenStrings({ ...plain, layout, inputConfig: { ...plain.inputConfig, params } });
  const known = [
    "open-sesame",
    "vault/path",
    "not-a-secret",
    "web:1",
    "inner-token",
    "told-only-here",
  ];
  expect(known.filter((text) => texts.includes(text))).toEqual([
    "open-sesame",
    "inner-token",
    "told-only-here",
  ]);
});

const origins = [
  { inline: undefined, why: "of old records without the sources of values" },
  { inline: ["login"], why: "of records with the sources of values" },
];

it.each(origins)(
  "all param names that a preview hides are hidden in releases $why",
  ({ inline }) => {
    const plain = release(1, "succeeded");
    const names = ["dbPass", "privateKey", "signing_key", "pwd", "connStr", "tls.key"];
    const value = (name: string) => `${name}'s "value" & more`;
    const params = Object.fromEntries(names.map((name) => [name, value(name)]));
    const others = { authMode: "oidc-code-flow", url: "postgres://shop:open-sesame@db/shop" };
    const inputConfig = { ...plain.inputConfig, params: { ...params, ...others }, inline };
    const texts = hiddenStrings({ ...plain, inputConfig });
    const forms = (text: string) => [
      ...[text, btoa(text), btoa(`user:${text}`), JSON.stringify(text).slice(1, -1)],
      ...[encodeURIComponent(text), text.replaceAll("'", "''"), text.replaceAll("&", "&amp;")],
    ];
    const held = names.flatMap((name) => forms(value(name)));
    expect(held.filter((form) => !texts.some((text) => form.includes(text)))).toEqual([]);
    expect(texts).toContain(others.url);
    expect(texts).not.toContain(others.authMode);
  },
);

it("a param is hidden if the config passes it to an adapter's secret param, whatever its name", () => {
  const plain = release(1, "succeeded");
  const params = { login: "open-sesame", tag: "v1.2.3", pin: 123, retries: 3 };
  const inputConfig = { ...plain.inputConfig, params, inline: ["login", "pin"], secret: ["login"] };
  const texts = hiddenStrings({ ...plain, inputConfig });
  expect(texts.filter((text) => ["open-sesame", "v1.2.3", "123", "3"].includes(text))).toEqual([
    "open-sesame",
    "123",
  ]);
});

it("an object's name isn't hidden, even if a secret param contains it", () => {
  const plain = release(1, "succeeded", { names: ["settings"] });
  const params = { dbPassword: ["settings", "ConfigMap", "shop", "open-sesame"] };
  const texts = hiddenStrings({ ...plain, inputConfig: { ...plain.inputConfig, params } });
  const shown = ["settings", "ConfigMap", "shop"].filter((text) => !texts.includes(text));
  expect(shown).toEqual(["settings", "ConfigMap", "shop"]);
  expect(texts).toContain("open-sesame");
});
