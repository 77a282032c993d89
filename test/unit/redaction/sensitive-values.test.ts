import { expect, test } from "vitest";
import { parse } from "yaml";
import { secretParamForms } from "../../../src/redaction/scrub.ts";
import { sensitiveValues } from "../../../src/redaction/sensitive-values.ts";

test.each([
  ["externalSecrets", "{tag: 1.10-rc, imagePullPolicy: IfNotPresent, region: eu, replicas: 2}"],
  ["externalSecrets", "{rbac: {rules: [{resources: [secrets], verbs: [get, list]}]}}"],
  ["externalSecrets", "{image: {repository: ghcr.io/eso/eso, tag: v0.9.11}, labels: {team: a}}"],
  ["sealed-secrets-controller", "{interval: 30s, scope: cluster}"],
  ["auth", "{image: acme/auth, tag: 1.10.2, imagePullPolicy: Always, replicas: 2, cpu: 500m}"],
  ["tokenService", "{resources: [secrets, configmaps], verbs: [get], enabled: true}"],
  ["certs", "{}"],
  ["externalSecrets.tag", "v1"],
])("no value below %s is a secret in %s", (name, value) => {
  expect(sensitiveValues(name, parse(value))).toEqual([]);
});

test.each([
  ["password", "{value: hunter2}"],
  ["password", "{prod: hunter2}"],
  ["passwords", "{registry: hunter2, tag: hunter2}"],
  ["tokens", "[hunter2]"],
  ["tokens", "{image: {value: hunter2}}"],
  ["secrets", "{server: {a: hunter2}}"],
  ["secrets", "{operator: {a: hunter2}}"],
  ["passwords", "{externalSecrets: {a: hunter2}}"],
  ["keys", "{port: hunter2}"],
  ["auth", "{tag: hunter2, image: hunter2, users: ['hunter2']}"],
  ["auth", "{users: {admin: hunter2}}"],
  ["authServer", "{users: [hunter2]}"],
  ["secretGenerator", "{literals: ['A=hunter2']}"],
  ["externalSecretValues", "{a: hunter2}"],
  ["externalSecrets", "{token: hunter2}"],
  ["externalSecrets", "{token: {value: hunter2}}"],
  ["externalSecrets", "{data: {a: hunter2}}"],
  ["externalSecrets", "{vault: {value: hunter2}}"],
  ["externalSecrets", "hunter2"],
  ["externalSecrets", "[hunter2]"],
  ["secrets.yaml", "hunter2"],
  ["password.txt", "hunter2"],
])("all strings below %s are secrets in %s", (name, value) => {
  const given = JSON.stringify(parse(value)).match(/(?:A=)?hunter2/g) ?? [];
  expect(sensitiveValues(name, parse(value)).flat()).toEqual(given);
  expect(secretParamForms({ [name]: parse(value) }, {})).toContain(given[0]);
});

test.each([
  ['{"user": "a", "password": "hunter2-db"}', ["hunter2-db"]],
  ["{'client_secret' : 'a b,c'}", ["a b,c"]],
  ['{"token": "a\\"hunter2"}', ['a\\"hunter2', 'a"hunter2']],
  ["auth:\n  user: a\n  password: hunter2", ["hunter2"]],
  ["LOG=debug\nexport DB_PASSWORD=hunter2\nMYSQL_PWD=hunter3", ["hunter2", "hunter3"]],
  ['{"auths": {"registry.example": {"auth": "dXNlcjpodW50ZXIy"}}}', ["dXNlcjpodW50ZXIy"]],
  ["auth: enabled\nkey: app.kubernetes.io/name", []],
  ["max_tokens: 4096\ntokenTtl: 3600\nsecretName: shop-db", []],
  ["password: ${DB_PASSWORD}\ntoken: {{ .Values.token }}\nsecret: <set in the store>", []],
  ["tokenUrl: https://login.example/token", []],
])("a text with the harmless name settings contains secrets: %j", (text, secrets) => {
  expect(sensitiveValues("settings", text)).toEqual(secrets);
});

test("common words of Kubernetes are never hidden", () => {
  const params = { tokens: { a: "IfNotPresent", b: "secrets", c: "hunter2" } };
  for (const origins of [{}, { inline: ["tokens"] }, { secret: ["tokens"] }]) {
    const texts = secretParamForms(params, origins);
    expect(texts).toContain("hunter2");
    expect(texts).not.toContain("IfNotPresent");
    expect(texts).not.toContain("secrets");
  }
});

test("a parameter is hidden in other letter cases and encodings, if it is long enough", () => {
  const texts = secretParamForms({ dbPassword: "hunter2-db", token: "ab9x" }, {});
  const hex = Buffer.from("hunter2-db").toString("hex");
  expect(texts).toEqual(expect.arrayContaining(["HUNTER2-DB", "Hunter2-Db", hex]));
  expect(texts).not.toContain("AB9X");
});

test("a secret that is named by its owner below a program's name is hidden", () => {
  expect(sensitiveValues("externalSecrets", { stripe: "live-4f9cA7xQ2", tag: "1.10" })).toEqual([
    "live-4f9cA7xQ2",
  ]);
  expect(sensitiveValues("sealedSecrets", { alice: ["hunter22x"] })).toEqual(["hunter22x"]);
  expect(
    sensitiveValues("externalSecrets", { namespace: "external-secrets", replicas: 2 }),
  ).toEqual([]);
});
