import { expect, test } from "vitest";
import { containsPlainSecret } from "../../../src/init/plain-secret.ts";
import type { Json } from "../../../src/model/json.ts";

const object = (kind: string, rest: Json) => ({
  ...{ apiVersion: "v1", kind, metadata: { name: "a" } },
  ...(rest as object),
});
const container = (fields: Json) => ({ spec: { containers: [fields] } });
const annotated = (value: string) => ({ metadata: { name: "a", annotations: { copy: value } } });

test.each<[string, string, Json, boolean]>([
  ["a key with its name", "ConfigMap", { data: { "db-password": "x" } }, true],
  ["a harmless key", "ConfigMap", { data: { colour: "x" } }, false],
  [
    "a private key under a harmless key",
    "ConfigMap",
    { data: { "server.pem": "-----BEGIN RSA PRIVATE KEY-----\nMII" } },
    true,
  ],
  ["a certificate", "ConfigMap", { data: { "ca.crt": "-----BEGIN CERTIFICATE-----\nMII" } }, false],
  ["a variable", "Pod", container({ env: [{ name: "API_TOKEN", value: "x" }] }), true],
  [
    "a variable from a Secret",
    "Pod",
    container({
      env: [{ name: "API_TOKEN", valueFrom: { secretKeyRef: { name: "a", key: "token" } } }],
    }),
    false,
  ],
  ["an address with a password", "Pod", container({ args: ["postgres://a:b@db/x"] }), true],
  [
    "an address with a variable",
    "Pod",
    container({ args: ["postgres://a:$(PASSWORD)@db"] }),
    false,
  ],
  ["an address", "Pod", container({ args: ["https://example.org:8080/a@b"] }), false],
  ["a flag", "Pod", container({ args: ["--admin-password=x"] }), true],
  ["a flag with a file", "Pod", container({ args: ["--token-file=/x"] }), false],
  ["values of a chart", "HelmRelease", { spec: { values: { adminPassword: "x" } } }, true],
  ["a copy of a Secret", "ConfigMap", annotated('{"kind":"Secret","data":{"a":"eA=="}}'), true],
  ["names of Secrets", "Ingress", { spec: { tls: [{ secretName: "x" }] } }, false],
  ["a certificate's Secret", "Certificate", { spec: { secretName: "x" } }, false],
])("%s in a %s", (_, kind, rest, expected) => {
  expect(containsPlainSecret(object(kind, rest))).toBe(expected);
});
