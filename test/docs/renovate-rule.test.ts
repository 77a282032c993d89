import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Manager {
  readonly matchStrings: readonly string[];
  readonly managerFilePatterns: readonly string[];
}

test("the documented rule of Renovate finds the documented charts", () => {
  const page = readFileSync("docs/deploy/helm.md", "utf8");
  const [, json = ""] = /```json\n([^`]*)```/.exec(page) ?? [];
  const [, yaml = ""] = /```yaml\n([^`]*oci:[^`]*)```/.exec(page) ?? [];
  const { customManagers } = JSON.parse(json) as { customManagers: readonly Manager[] };
  const found = customManagers.map(({ matchStrings: [pattern = ""], managerFilePatterns }) => {
    const [file = ""] = managerFilePatterns;
    expect(".valuestream/qvs.yaml").toMatch(new RegExp(file.slice(1, -1)));
    return [...yaml.matchAll(new RegExp(pattern, "g"))].map(({ groups }) => ({ ...groups }));
  });
  expect(found).toEqual([
    [{ depName: "registry.example/charts/podinfo", currentValue: "6.9.0" }],
    [{ depName: "redis", registryUrl: "https://charts.example/stable", currentValue: "19.1.0" }],
  ]);
});
