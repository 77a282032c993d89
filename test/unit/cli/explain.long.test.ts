import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startCompiler } from "../../support/cue/native.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { shopFiles } from "../../support/shop/shop-files.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

const compile = ["compile", "--params", "params.yaml"];

const cases: readonly (readonly [question: string, answer: string])[] = [
  [
    "app/deployment:spec.template.spec.containers[0].image",
    `app/deployment: spec.template.spec.containers[0].image = "registry.example/shop:1.0.0"
  adapters/web/main.cue:17:59 by shop.example/adapters/web
    ← parameters.image, given at .valuestream/qvs.yaml:11:14
      ← $(params.version)
`,
  ],
  [
    "deployment:spec.template.spec.containers.0.name",
    `app/deployment: spec.template.spec.containers[0].name = "web"
  adapters/web/main.cue:17:45 by shop.example/adapters/web
`,
  ],
  [
    "app/deployment:metadata",
    `app/deployment: metadata.name = "shop"
  adapters/web/main.cue:15:19 by shop.example/adapters/web
    ← parameters.appName, given at .valuestream/qvs.yaml:10:16
`,
  ],
];

test.each(cases)("--explain %s", async (question, answer) => {
  const { directory } = temporaryRepository(shopFiles);
  const result = await runHere(directory, [...compile, "--explain", question], compiler);
  expect(result).toEqual({ code: 0, stdout: answer, stderr: expect.any(String) });
});

const unknown: readonly (readonly [question: string, expected: string])[] = [
  [
    "app/deploymnet:spec",
    `error[unknown-resource]: Resource "app/deploymnet" doesn't exist
  help: Did you mean "app/deployment"?
  help: or choose one of app/deployment, and add the field after a colon, for example app/deployment:metadata.name
`,
  ],
  [
    "app/deployment:spec.replica",
    `error[unknown-field]: Resource app/deployment has no field "spec.replica"
  help: Did you mean "spec.replicas"?
  help: or list all its fields with --explain app/deployment
`,
  ],
];

test.each(unknown)("--explain %s is an error with a suggestion", async (question, expected) => {
  const { directory } = temporaryRepository(shopFiles);
  const result = await runHere(directory, [...compile, "--explain", question], compiler);
  expect(result).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(expected) });
});

test("layout.yaml names, for every field, the line that wrote it and its parameters", async () => {
  const { directory } = temporaryRepository(shopFiles);
  await runHere(directory, [...compile, "-o", "out"], compiler);
  const text = readFileSync(join(directory, "out/layout.yaml"), "utf8");
  expect(text.split("\n").slice(3).join("\n")).toBe(`\
config: .valuestream/qvs.yaml
resources:
  - app/deployment
composites:
  - pattern: shop.example/adapters/web
    written: adapters/web/main.cue:3:1
    used: .valuestream/qvs.yaml:8:14
    from:
      appName: .valuestream/qvs.yaml:10:16
      image: .valuestream/qvs.yaml:11:14 ← version
      replicas: .valuestream/qvs.yaml:12:17 ← replicas
      size: .valuestream/qvs.yaml:13:13
    resources:
      app/deployment:
        apiVersion: adapters/web/main.cue:13:15
        kind: adapters/web/main.cue:14:15
        metadata.name: adapters/web/main.cue:15:19 ← appName
        spec.replicas: adapters/web/main.cue:16:19 ← replicas
        spec.template.spec.containers[0].name: adapters/web/main.cue:17:45
        spec.template.spec.containers[0].image: adapters/web/main.cue:17:59 ← image
`);
});
