import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HelmRequest } from "../../../src/ports/render.ts";
import {
  chartRequest,
  configMap,
  openRenderer,
  renderEngines,
} from "../../support/render/engines.ts";

/** Charts that would never end, use all memory, or read other files: each ends with a problem. */
const charts: Readonly<Record<string, readonly [HelmRequest, string, RegExp]>> = {
  "tpl without an end": [
    chartRequest(configMap("{{ tpl .Values.a . }}"), {
      "shop/values.yaml": "a: '{{ tpl .Values.a . }}'",
    }),
    "limit",
    /nests without an end/,
  ],
  "include without an end": [
    chartRequest('{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}'),
    "limit",
    /nested reference name|template depth|nests without/,
  ],
  "a huge list": [chartRequest(configMap("{{ until 300000000 | len }}")), "limit", /^until: 3/],
  "a huge text": [chartRequest(configMap('{{ repeat 300000000 "a" }}')), "limit", /^repeat: 3/],
  "a huge sequence": [chartRequest(configMap("{{ seq 1 300000000 }}")), "limit", /^seq: 2/],
  "a huge password": [chartRequest(configMap("{{ randAlpha 300000000 }}")), "limit", /^randAlpha/],
  "a huge output": [
    chartRequest(configMap('{{ range until 10000 }}{{ repeat 2000 "a" }}{{ end }}')),
    "limit",
    /more than 16 MiB/,
  ],
  "a schema with a file": [
    chartRequest(configMap("1"), { "shop/values.schema.json": '{"$ref": "file:///etc/passwd"}' }),
    "unsupported",
    /refers to file:\/\/\/etc\/passwd/,
  ],
  "a schema with a URL": [
    chartRequest(configMap("1"), { "shop/values.schema.json": '{"$ref": "https://a.example/b"}' }),
    "unsupported",
    /refers to https:\/\/a\.example\/b/,
  ],
  "values with an alias bomb": [
    { ...chartRequest(configMap("1")), values: [{ name: "values.yaml", text: aliasBomb() }] },
    "invalid",
    /excessive aliasing/,
  ],
  "a packed bomb": [
    {
      ...chartRequest(""),
      files: { in: "memory", files: new Map(), embedded: new Map([["a.tgz", packedBomb()]]) },
      chart: "a.tgz",
    },
    "invalid",
    /decompressed chart is larger than the maximum size/,
  ],
};

describe.each(renderEngines)("the $kind render engine", (engine) => {
  const renderer = openRenderer(engine);

  test.each(Object.entries(charts))("stops at %s", (_, [request, code, message]) => {
    const { result } = renderer.renderHelm(request);
    const problem = expect.objectContaining({ code, message: expect.stringMatching(message) });
    expect(result).toEqual({ ok: false, problems: [problem] });
  });

  test("renders again after an engine died", () => {
    expect(renderer.renderHelm(chartRequest(configMap("1"))).result.ok).toBe(true);
  });

  test("gives a chart no file outside of it", () => {
    const template = configMap('"{{ .Files.Get "../secret" }}{{ .Files.Get "/etc/hostname" }}"');
    const { result, inputs } = renderer.renderHelm(chartRequest(template, { secret: "s3cret" }));
    expect(result).toMatchObject({ ok: true, value: { manifests: [{ text: configMap('""') }] } });
    expect(inputs).not.toContain("secret");
  });

  test("follows no link out of the repository", () => {
    const directory = mkdtempSync(join(tmpdir(), "qvs-chart-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const chart = join(directory, "repository/shop");
    mkdirSync(join(chart, "templates"), { recursive: true });
    writeFileSync(join(chart, "Chart.yaml"), "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
    writeFileSync(join(directory, "secret"), "s3cret");
    symlinkSync(join(directory, "secret"), join(chart, "templates/web.yaml"));
    const files = { in: "directory", directory: join(directory, "repository") } as const;
    const { result } = renderer.renderHelm({ ...chartRequest(""), files });
    expect(JSON.stringify(result)).not.toContain("s3cret");
    const message = expect.stringContaining("leads outside of its directory");
    expect(result).toMatchObject({ ok: false, problems: [{ message }] });
  });

  test("names a remote base, and opens no connection for it", () => {
    const address = "github.com/a/b//c?ref=v1";
    const files = new Map([["kustomization.yaml", `resources: ['${address}']`]]);
    const request = { files: { in: "memory", files }, directory: ".", bases: [] } as const;
    const named = { address, repository: "https://github.com/a/b", revision: "v1", path: "c" };
    expect(renderer.renderKustomize(request).result).toMatchObject({
      ok: true,
      value: { documents: "", missing: [{ ...named, from: 0, file: "kustomization.yaml" }] },
    });
  });

  test.each([
    ["a remote file", "resources: ['https://a.example/b.yaml']", "remote"],
    ["a program as generator", "generators: [generator.yaml]", "unsupported"],
    ["a chart that a program renders", "helmCharts: [{name: a}]", "unsupported"],
    ["a file above the overlay", "resources: [../secret.yaml]", "invalid"],
  ])("runs no program and opens no connection for %s", (_, kustomization, code) => {
    const files = new Map([
      ["overlay/kustomization.yaml", kustomization],
      ["overlay/generator.yaml", "apiVersion: a/v1\nkind: A\nmetadata: {name: a}\n"],
      ["secret.yaml", configMap("s3cret")],
    ]);
    const request = { files: { in: "memory", files }, directory: "overlay", bases: [] } as const;
    expect(renderer.renderKustomize(request).result).toMatchObject({
      ok: false,
      problems: [{ code }],
    });
  });
});

function aliasBomb(): string {
  const names = [..."abcdefghij"];
  const lines = names.slice(1).map((name, i) => {
    const items = Array.from({ length: 9 }, () => `*${names[i]}`).join(",");
    return `${name}: &${name} [${items}]`;
  });
  return ["a: &a [1,1,1,1,1,1,1,1,1]", ...lines].join("\n");
}

/** Returns an archive with a file of 300 MiB of zeros, of which it contains only the start. */
function packedBomb(): Buffer {
  const head = Buffer.alloc(512);
  head.write("shop/Chart.yaml");
  head.write("0000644", 100);
  head.write((300 << 20).toString(8).padStart(11, "0"), 124);
  head.write("        ", 148);
  head.write("0", 156);
  head.write("ustar", 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return gzipSync(Buffer.concat([head, Buffer.alloc(1 << 20)]));
}
