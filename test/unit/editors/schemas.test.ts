import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { schemaFiles } from "../../../scripts/docs/schemas.ts";
import { parseConfig } from "../../../src/config/parse-config.ts";
import { parseDeployments } from "../../../src/config/parse-deployments.ts";
import { parseParams } from "../../../src/config/parse-params.ts";
import type { Json, JsonObject } from "../../../src/model/json.ts";
import type { Result } from "../../../src/model/problems/problem.ts";
import { fc } from "../../support/fast-check.ts";
import { runs } from "../../support/runs.ts";

const root = join(import.meta.dirname, "../../..");

test.each([...schemaFiles])("%s is up to date with `npm run docs:generate`", (path, text) => {
  expect(readFileSync(join(root, path), "utf8")).toBe(text);
});

/** Every key of each file. The first item of a list has all keys. */
const full = {
  qvs: {
    params: [{ name: "version", type: "string" }],
    modules: [
      { name: "a.example/one", remote: { repo: "github.com/a/one", revision: "v1", path: "cue" } },
      { name: "a.example/two", local: { path: "../adapters" } },
      { name: "github.com/a/three", revision: 1.1 },
    ],
    designPatterns: [
      { pattern: "a.example/one/web", params: { x: 1 }, pipelineParams: {}, group: "web" },
      { manifests: "../k8s", stage: "appSetup", group: "web", namespace: "shop" },
    ],
  },
  deployments: {
    deployments: [
      {
        name: "shop",
        config: "qvs.yaml",
        params: ["a.yaml"],
        environment: "staging",
        context: "c",
        namespace: "n",
        dependsOn: ["other"],
      },
      { name: "other", config: "qvs.yaml" },
    ],
  },
  params: {
    params: [{ name: "version", value: "1" }],
    secrets: [{ name: "apiKey", key: "k", version: "1" }],
  },
} as const;

type File = keyof typeof full;
const files = Object.keys(full) as File[];

const read: Readonly<Record<File, (text: string) => Result<unknown>>> = {
  qvs: (text) => parseConfig("services/shop/.valuestream/qvs.yaml", text),
  deployments: (text) => parseDeployments(".valuestream/deployments.yaml", text),
  params: (text) => parseParams(".valuestream/params.yaml", text),
};

const isValid = Object.fromEntries(
  files.map((file) => {
    const schema = JSON.parse(schemaFiles.get(`schema/${file}.schema.json`) ?? "");
    return [
      file,
      new Ajv({
        allErrors: true,
        strict: true,
        strictRequired: false,
        allowUnionTypes: true,
      }).compile(schema),
    ];
  }),
) as unknown as Record<File, ReturnType<Ajv["compile"]>>;

/** Returns true if the reader accepts the value. JSON is valid YAML. */
const accepts = (file: File, value: Json) => read[file](JSON.stringify(value)).ok;

interface Spot {
  readonly path: readonly (string | number)[];
  readonly value: Json;
}

/**
 * Returns a value and all values in it, except free ones: params of an adapter, values of params.
 */
function spotsIn(value: Json, path: Spot["path"] = []): readonly Spot[] {
  const last = path.at(-1);
  const isFree =
    last === "value" ||
    last === "pipelineParams" ||
    (last === "params" && path.length > 2 && !Array.isArray(value));
  if (typeof value !== "object" || value === null || isFree) return [{ path, value }];
  return [
    { path, value },
    ...Object.entries(value).flatMap(([key, each]) =>
      spotsIn(each, [...path, Array.isArray(value) ? Number(key) : key]),
    ),
  ];
}

function changed(value: Json, path: Spot["path"], to: Json | undefined): Json {
  const copy = structuredClone(value) as never;
  if (path.length === 0) return to ?? null;
  const parent = path.slice(0, -1).reduce((each, step) => each[step as never], copy);
  const last = path.at(-1) as never;
  if (to === undefined) delete parent[last];
  else parent[last] = to as never;
  return copy;
}

const maps = (file: File) =>
  spotsIn(full[file] as unknown as Json).filter(
    ({ path, value }) =>
      typeof value === "object" &&
      !Array.isArray(value) &&
      !["params", "pipelineParams"].includes(String(path.at(-1))),
  );

describe.each(files)("%s.schema.json and the reader", (file) => {
  const whole = full[file] as unknown as Json;

  test("accept every known key", () => {
    expect(accepts(file, whole)).toBe(true);
    isValid[file](whole);
    expect(isValid[file].errors ?? []).toEqual([]);
  });

  test("reject an unknown key in every object", () => {
    for (const { path, value } of maps(file)) {
      if (file === "params" && path.length === 0) continue;
      const wrong = changed(whole, path, { ...(value as JsonObject), surplus: 1 });
      expect([path, accepts(file, wrong), isValid[file](wrong)]).toEqual([path, false, false]);
    }
  });

  test("accept everything that the reader accepts: without a key, with empty objects, and with any value anywhere", {
    tags: "slow",
  }, () => {
    const spots = spotsIn(whole).filter(({ path }) => path.length > 0);
    let accepted = 0;
    const check = (value: Json) => {
      if (!accepts(file, value)) return;
      accepted += 1;
      isValid[file](value);
      expect([value, isValid[file].errors ?? []]).toEqual([value, []]);
    };
    for (const { path } of spots)
      for (const to of [undefined, null, "text", 3, 1.5, true, "", [], {}])
        check(changed(whole, path, to));
    fc.assert(
      fc.property(
        fc.constantFrom(...spots),
        fc.constantFrom(...spots),
        fc.jsonValue(),
        (one, other, to) => {
          check(changed(whole, one.path, to as Json));
          check(changed(whole, one.path, other.value));
        },
      ),
      runs(50),
    );
    expect(accepted).toBeGreaterThan(20);
  });
});
