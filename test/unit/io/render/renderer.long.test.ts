import { describe, expect, test } from "vitest";
import type { HelmRequest } from "../../../../src/ports/render.ts";
import {
  chartRequest,
  configMap,
  openRenderer,
  renderEngines,
} from "../../../support/render/engines.ts";

const random = [
  "{{ randAlphaNum 20 }}",
  "{{ randInt 0 1000000 }}",
  '{{ shuffle "abcdefghijklmnopqrstuvwxyz" }}',
  "{{ uuidv4 }}",
  '{{ bcrypt "a" | quote }}',
  "{{ randBytes 16 }}",
  "{{ now | unixEpoch | quote }}",
  '{{ genPrivateKey "ecdsa" | b64enc }}',
  '{{ (genCA "a" 10).Cert | b64enc }}',
];
const randomMap = configMap("1") + random.map((call, i) => `  r${i}: ${call}\n`).join("");
const other = { seed: "b", clock: Date.UTC(2027, 0) };

describe.each(renderEngines)("the $kind render engine", (engine) => {
  const renderer = openRenderer(engine);
  const render = (request: HelmRequest) => {
    const { result } = renderer.renderHelm(request);
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    return result.value;
  };

  test("gives the same text for the same seed and clock, and lists what depends on them", () => {
    const request = { ...chartRequest(randomMap), compare: other };
    const { manifests, differences } = render(request);
    expect(manifests).toEqual(openAndRender(request));
    expect(differences?.map(({ path }) => path.join("."))).toEqual(
      random.map((_, i) => `data.r${i}`),
    );
    expect(render({ ...request, compare: request }).differences).toEqual([]);
  });

  test("names the place of a lookup, which finds nothing", () => {
    const template = `${configMap("1")}{{- if lookup "v1" "Secret" .Release.Namespace "a" }}\n  b: 2{{ end }}`;
    expect(render(chartRequest(template)).notices).toEqual([
      {
        code: "lookup",
        message: "lookup of v1 Secret shop/a finds nothing",
        at: { file: "shop/templates/web.yaml", line: 6 },
      },
    ]);
  });

  test("reports a null of a parent chart that Helm 3 understands differently", () => {
    const { notices } = render(
      chartRequest(configMap("1"), {
        "shop/values.yaml": "db: {a: null, b: null}",
        "shop/charts/db/Chart.yaml": "apiVersion: v2\nname: db\nversion: 1.0.0\n",
        "shop/charts/db/values.yaml": "a: 1",
      }),
    );
    expect(notices).toMatchObject([{ code: "null-value", at: { file: "shop/values.yaml" } }]);
  });

  test("keeps hooks apart, with their events, weight and policies", () => {
    const annotations = [
      "helm.sh/hook: 'pre-install,pre-upgrade'",
      'helm.sh/hook-weight: "-5"',
      "helm.sh/hook-delete-policy: hook-succeeded",
    ];
    const hook = `kind: Job\nmetadata:\n  name: a\n  annotations: {${annotations.join(", ")}}\n`;
    expect(render(chartRequest(`${configMap("1")}---\n${hook}`))).toMatchObject({
      manifests: [{ template: "shop/templates/web.yaml" }],
      hooks: [
        {
          kind: "Job",
          name: "a",
          events: ["pre-install", "pre-upgrade"],
          weight: -5,
          deletePolicies: ["hook-succeeded"],
        },
      ],
    });
  });

  test("sets typed values and sees the given capabilities only", () => {
    const template = configMap(
      '"{{ .Values.a.b }} {{ kindOf .Values.a.b }} {{ .Capabilities.APIVersions.Has "apps/v1" }}"',
    );
    const request = {
      ...chartRequest(template),
      set: [{ path: "a.b", value: 0.5 }],
      capabilities: { kubeVersion: "v1.33.0", apiVersions: ["v1"], complete: true },
    };
    expect(render(request).manifests[0]?.text).toContain('a: "0.5 float64 false"');
  });

  test("names the files that it read and those that are missing", () => {
    const { inputs, questions } = renderer.renderHelm(chartRequest(configMap("1")));
    expect(inputs).toEqual(["shop/Chart.yaml", "shop/templates/web.yaml"]);
    expect(questions).toContainEqual({ root: 0, path: "shop/.helmignore", ask: "text" });
  });

  test("keeps no engine that used much memory", () => {
    const other = openRenderer(engine);
    expect(other.usedMemory()).toBe(0);
    other.renderHelm(chartRequest(configMap("1")));
    expect(other.usedMemory()).toBeGreaterThan(0);
    const large = '{{ range until 200 }}{{ repeat 1000000 "a" | upper | len }}{{ end }}';
    other.renderHelm(chartRequest(configMap(large)));
    expect(other.usedMemory()).toBe(0);
    expect(other.renderHelm(chartRequest(configMap("1"))).result.ok).toBe(true);
  });

  test("names the file that wrote each field of a kustomization", () => {
    const map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n";
    const files = new Map([
      ["kustomization.yaml", "resources: [map.yaml]\npatches: [{path: a.yaml}]\nnamePrefix: p-\n"],
      ["map.yaml", map],
      ["a.yaml", `${map}data: {a: b}\n`],
    ]);
    const request = { files: { in: "memory" as const, files }, directory: ".", bases: [] };
    const plain = renderer.renderKustomize(request).result;
    const traced = renderer.renderKustomize({ ...request, origins: true }).result;
    if (!plain.ok || !traced.ok) throw new Error("no result");
    expect(traced.value.documents).toBe(plain.value.documents);
    expect(plain.value.origins).toBeUndefined();
    expect(traced.value.origins).toEqual({
      sources: [
        { root: 0, path: "a.yaml" },
        { root: 0, path: ".", field: "namePrefix" },
      ],
      documents: [
        {
          ...{ declared: { root: 0, path: "map.yaml" }, kind: "ConfigMap", name: "web" },
          fields: [
            { path: ["metadata", "name"], by: 1 },
            { path: ["data"], by: 0 },
          ],
        },
      ],
    });
  });

  test("gives the place of an error", () => {
    const { result } = renderer.renderHelm(chartRequest(`\n{{ fail "no way" }}`));
    expect(result).toMatchObject({
      problems: [{ code: "invalid", at: { file: "shop/templates/web.yaml", line: 2 } }],
    });
  });
});

/** Renders with a new wasm engine, which every other engine must equal. */
function openAndRender(request: HelmRequest) {
  const { result } = openRenderer(renderEngines[0]).renderHelm(request);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value.manifests;
}
